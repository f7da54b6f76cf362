// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.EventStream;
import dev.heddle.event.Promise;
import dev.heddle.io.AsyncFile;
import dev.heddle.io.FileIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Pipe;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.Udp;
import dev.heddle.sync.Broadcast;
import dev.heddle.sync.Broadcast.Overflow;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a run has opened and not closed fails it, with the line that has opened it.
@Timeout(300)
@Tag("sim-5")
class LeakTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  @TempDir private Path folder = Path.of("");

  private static void assertLeak(String what, Action main) {
    assertThatThrownBy(() -> Simulation.run(main))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("the run left behind:\n  not closed: " + what)
        .hasMessageContaining(", opened at dev.heddle.test.LeakTest.");
    assertThat(
            Simulation.record(
                    SimulationOptions.defaults().withoutLeakChecks(),
                    () -> {
                      main.run();
                      return null;
                    })
                .failure())
        .isNull();
  }

  @Test
  void streamOfAnEvent_isALeak() {
    assertLeak(
        "a stream of ",
        () -> {
          Promise<String> reply = Heddle.promise("the reply");
          EventStream.of(reply.future(), 4);
        });
  }

  @Test
  void timerThatIsArmed_isALeak() {
    assertThatThrownBy(() -> Simulation.run(() -> Heddle.ticks(Duration.ofHours(1))))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("1 timers are armed, the first one for PT1H");
  }

  @Test
  void subscriptionToABroadcast_isALeak() {
    assertLeak(
        "a subscription to the broadcast 'news'",
        () -> Broadcast.<String>of("news", 4, Overflow.LAG).subscribe());
  }

  @Test
  void listener_isALeak() {
    assertLeak("the listener on ", () -> Tcp.listen(ANY));
  }

  @Test
  void connections_ofBothEnds_areLeaks() {
    assertLeak(
        "",
        () -> {
          try (Listener listener = Tcp.listen(ANY)) {
            Coroutine<StreamSocket> accepted = Heddle.spawn(listener::accept);
            Tcp.connect(listener.localAddress());
            accepted.await();
          }
        });
  }

  @Test
  void datagramSocket_isALeak() {
    assertLeak("a UDP socket", () -> Udp.bind(ANY));
  }

  @Test
  void pipe_isALeak() {
    assertLeak("the source of a pipe", () -> Pipe.open());
  }

  @Test
  void file_isALeak() {
    Path file = folder.resolve("file");
    assertLeak(
        "the file " + file,
        () -> FileIo.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
  }

  @Test
  void whatWasClosed_isNoLeak() {
    Path file = folder.resolve("file");
    var result =
        Simulation.run(() -> {
          Promise<String> reply = Heddle.promise("the reply");
          try (Broadcast<String> broadcast = Broadcast.of(4, Overflow.LAG);
              var subscription = broadcast.subscribe();
              EventStream<String> stream = EventStream.of(reply.future(), 4);
              Listener listener = Tcp.listen(ANY);
              AsyncFile open =
                  FileIo.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            broadcast.send("closed with its readers");
            return List.of(subscription, stream, listener, open).size();
          }
        });
    assertThat(result.value()).isEqualTo(4);
  }

  @Test
  void streamOfAnEventThatHasEnded_isNoLeak() {
    Simulation.run(() -> {
      Promise<String> reply = Heddle.promise("the reply");
      EventStream<String> stream = EventStream.of(reply.future(), 4);
      reply.complete("here");
      assertThat(stream.next()).isEqualTo("here");
      var unread = Broadcast.of(4, Overflow.LAG).subscribe();
      unread.close();
    });
  }
}
