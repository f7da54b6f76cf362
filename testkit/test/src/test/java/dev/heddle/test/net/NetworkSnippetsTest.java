// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.Registration;
import dev.heddle.io.Dns;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.Udp;
import dev.heddle.io.UdpSocket;
import dev.heddle.test.Simulation;
import dev.heddle.test.net.Link.Partition;
import dev.heddle.test.node.Node;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The code that the documentation of simulated networks shows.
@Tag("once")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NetworkSnippetsTest {
  /// Welcomes each client.
  private static void serve() throws IOException {
    try (Listener listener = Tcp.listen(new InetSocketAddress(80))) {
      while (true) {
        try (StreamSocket client = listener.accept()) {
          client.write(UTF_8.encode("welcome\n"));
        }
      }
    }
  }

  private static @Nullable String ask(SimulatedHost server) throws IOException {
    try (StreamSocket socket = Tcp.connect(new InetSocketAddress(server.address(), 80))) {
      return socket.readLine();
    }
  }

  @Test
  void network() {
    // @start region=network
    Simulation.run(() -> {
      SimulatedNetwork network = Simulation.network();
      SimulatedHost server = network.host("server");
      network.setName("shop.example", server.address());
      assertThat(Dns.resolve("server")).containsExactlyElementsOf(server.addresses());
      assertThat(Dns.resolve("shop.example")).containsExactly(server.address());
    });
    // @end
  }

  @Test
  void faults() {
    // @start region=faults
    Simulation.run(() -> {
      SimulatedNetwork network = Simulation.network();
      network.setFaults(Faults.usual().withDatagramLoss(1)); // all are lost
      InetSocketAddress server = new InetSocketAddress(network.host("server").address(), 53);
      try (UdpSocket socket = Udp.bind(new InetSocketAddress(0))) {
        socket.send(UTF_8.encode("hello"), server);
        Action answer = () -> socket.receive(ByteBuffer.allocate(512));
        assertThatThrownBy(() -> Heddle.withTimeout(Duration.ofSeconds(5), answer))
            .isInstanceOf(DeadlineException.class);
      }
    });
    // @end
  }

  @Test
  void links() {
    // @start region=links
    Latency satellite =
        Latency.between(Duration.ofMillis(250), Duration.ofMillis(300))
            .withTail(0.01, Duration.ofSeconds(2));
    LinkOptions slow = LinkOptions.defaults().withLatency(satellite).withBytesPerSecond(10_000);
    Simulation.run(() -> {
      SimulatedNetwork network = Simulation.network();
      SimulatedHost here = network.host("main");
      SimulatedHost server = network.host("server");
      network.link(here, server).setOptions(slow);
      network.link(server, here).setOptions(slow);
      try (Node _ = Node.start("server", () -> serve())) {
        assertThat(ask(server)).isEqualTo("welcome");
      }
      assertThat(Simulation.elapsed()).isGreaterThan(Duration.ofMillis(750)); // three packets
    });
    // @end
  }

  @Test
  void partition() {
    // @start region=partition
    Simulation.run(() -> {
      SimulatedNetwork network = Simulation.network();
      SimulatedHost server = network.host("server");
      List<SimulatedHost> here = List.of(network.host("main"));
      try (Node _ = Node.start("server", () -> serve())) {
        Registration cut = network.partition(List.of(server), here, Partition.DROP);
        assertThatThrownBy(() -> ask(server))
            .isInstanceOf(ConnectException.class)
            .hasMessageContaining("Connection timed out");
        cut.close();
        assertThat(ask(server)).isEqualTo("welcome");
      }
    });
    // @end
  }

  @Test
  void events() {
    // @start region=events
    List<NetworkEvent> events = new ArrayList<>();
    Simulation.run(() -> {
      Simulation.network().observe(events::add);
      try (Node server = Node.start("server", () -> serve())) {
        ask(server.host());
      }
    });
    assertThat(events)
        .extracting(NetworkEvent::kind)
        .startsWith(NetworkEvent.Kind.CONNECT, NetworkEvent.Kind.CONNECTED, NetworkEvent.Kind.DATA);
    // @end
    assertThat(events).extracting(NetworkEvent::bytes).contains("welcome\n".length());
  }
}
