// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.Registration;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.FileIo;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.test.Simulation;
import dev.heddle.test.SimulationOptions;
import dev.heddle.test.net.Link.Partition;
import dev.heddle.test.net.SimulatedHost;
import dev.heddle.test.net.SimulatedNetwork;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The code that the documentation of nodes shows.
@Tag("once")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NodeSnippetsTest {
  @Test
  void start() {
    List<String> lines = new ArrayList<>();
    // @start region=start
    Simulation.explore(() -> {
      Action program =
          () -> {
            try (Listener listener = Tcp.listen(new InetSocketAddress(80))) {
              while (true) {
                try (StreamSocket client = listener.accept()) {
                  client.write(UTF_8.encode("welcome\n"));
                }
              }
            }
          };
      try (Node _ = Node.start("server", program);
          StreamSocket server = Tcp.connect("server", 80)) {
        lines.add(server.readLine());
      } // the server is cancelled, and has ended
    });
    // @end
    assertThat(lines).hasSize(SimulationOptions.defaults().seeds()).containsOnly("welcome");
  }

  @Test
  void crash() {
    // @start region=crash
    Simulation.explore(() -> {
      List<String> found = new ArrayList<>();
      Action program =
          () -> {
            Path log = Simulation.files().path("/tmp/log");
            found.add(Files.exists(log) ? Files.readString(log) : "nothing");
            FileIo.writeString(log, "written");
            Heddle.delay(Duration.ofDays(1));
          };
      Node store = Node.start("store", program);
      Heddle.delay(Duration.ofSeconds(1));
      store.crash(); // no finally block runs
      store.restart();
      Heddle.delay(Duration.ofSeconds(1));
      store.close();
      assertThat(found).containsExactly("nothing", "nothing"); // it was not synced
    });
    // @end
  }

  @Test
  void partition() {
    // @start region=partition
    Simulation.explore(() -> {
      SimulatedNetwork network = Simulation.network();
      try (Node server = Node.start("server", () -> serve())) {
        SimulatedHost here = network.host("main"); // on which the simulation's own program is
        Registration cut = network.partition(Set.of(here), Set.of(server.host()), Partition.DROP);
        assertThatThrownBy(() -> Tcp.connect("server", 80)).hasMessageContaining("timed out");
        cut.close();
        Tcp.connect("server", 80).close();
      }
    });
    // @end
  }

  @Test
  void chance() {
    // @start region=chance
    Simulation.explore(() -> {
      RandomGenerator random = Simulation.random(); // follows from the seed
      try (Node server = Node.start("server", () -> serve())) {
        Coroutine<?> faults =
            Heddle.spawn(
                "faults",
                () -> {
                  while (true) {
                    Heddle.delay(Duration.ofMillis(random.nextLong(1, 2_000)));
                    server.crash();
                    Heddle.delay(Duration.ofMillis(random.nextLong(1, 500)));
                    server.restart();
                  }
                });
        for (int i = 0; i < 10; i++) {
          askUntilAnswered();
        }
        faults.cancel("enough");
        Heddle.delay(Duration.ofSeconds(1));
        if (!server.isRunning()) {
          server.restart();
        }
      }
    });
    // @end
  }

  private static void askUntilAnswered() {
    Heddle.delay(Duration.ofMillis(300));
    boolean answered = false;
    while (!answered) {
      Body<Boolean> asks =
          () -> {
            try (StreamSocket socket = Tcp.connect("server", 80)) {
              return socket.readLine() == null; // the server closes it
            }
          };
      try {
        answered = Heddle.withTimeout(Duration.ofSeconds(1), asks);
      } catch (Exception _) {
        // safe: it has crashed, and is asked again
      }
    }
  }

  private static void serve() throws IOException {
    try (Listener listener = Tcp.listen(new InetSocketAddress(80))) {
      while (true) {
        listener.accept().close();
      }
    }
  }

  @Test
  void clocks() {
    List<Duration> ends = new ArrayList<>();
    // @start region=clocks
    NodeOptions fast = NodeOptions.defaults().withClockDrift(1_000); // 86 s a day
    Simulation.run(() -> {
      Action program =
          () -> {
            Heddle.delay(Duration.ofDays(1)); // by its own clock
            ends.add(Simulation.elapsed());
          };
      try (Node node = Node.start("hasty", fast, program)) {
        node.await();
      }
    });
    assertThat(ends.getFirst()).isLessThan(Duration.ofDays(1).minusSeconds(86));
    // @end
    assertThat(ends).hasSize(1);
  }
}
