// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.Dns;
import dev.heddle.io.FileIo;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.Udp;
import dev.heddle.io.UdpSocket;
import dev.heddle.io.Unix;
import dev.heddle.test.Simulation;
import dev.heddle.test.SimulationError;
import dev.heddle.test.SimulationOptions;
import dev.heddle.test.SimulationResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Heddle's own sockets and files in a simulation: those of the run's machine.
@Timeout(300)
class MachineTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private static Machine machine() {
    return RunMember.current().machine();
  }

  /// Answers one client, an hour later.
  private static void serve(Listener listener) throws IOException {
    try (StreamSocket client = listener.accept()) {
      Heddle.delay(HOUR);
      client.write(UTF_8.encode(client.readLine() + "!\n"));
    }
  }

  private static @Nullable String ask(StreamSocket socket) throws IOException {
    try (socket) {
      socket.write(UTF_8.encode("hello\n"));
      return socket.readLine();
    }
  }

  private static @Nullable String echo() throws IOException {
    try (Listener listener = Tcp.listen(ANY)) {
      Coroutine<?> server = Heddle.spawn(() -> serve(listener));
      String answer = ask(Tcp.connect(listener.localAddress()));
      server.await();
      return answer;
    }
  }

  @Test
  void tcp_waitsInVirtualTime() {
    var result = Simulation.run(MachineTest::echo);
    assertThat(result.value()).isEqualTo("hello!");
    assertThat(result.elapsed()).isBetween(HOUR, HOUR.plusSeconds(1));
    assertThat(result.uncontrolled()).isEmpty();
  }

  @Test
  void unixSocket_ofTheRun_isNotOfTheMachine() {
    var result =
        Simulation.run(() -> {
          Path path = Path.of("/no/such/directory/socket");
          try (Listener listener = Unix.listen(path)) {
            Coroutine<?> server = Heddle.spawn(() -> serve(listener));
            String answer = ask(Unix.connect(path));
            server.await();
            return answer;
          }
        });
    assertThat(result.value()).isEqualTo("hello!");
    assertThat(result.elapsed()).isEqualTo(HOUR);
  }

  @Test
  void udp_toAnotherSocket_arrives() {
    var result =
        Simulation.run(() -> {
          try (UdpSocket one = Udp.bind(ANY);
              UdpSocket other = Udp.bind(ANY)) {
            one.send(UTF_8.encode("hello"), other.localAddress());
            ByteBuffer into = ByteBuffer.allocate(16);
            SocketAddress from = other.receive(into);
            assertThat(from).isEqualTo(one.localAddress());
            return UTF_8.decode(into.flip()).toString();
          }
        });
    assertThat(result.value()).isEqualTo("hello");
  }

  @Test
  void names_areThoseOfTheNetwork() {
    Simulation.run(() -> {
      InetAddress shop = InetAddress.ofLiteral("10.9.9.9");
      machine().network().setName("shop.example", shop);
      assertThat(Dns.resolve("shop.example")).containsExactly(shop);
      assertThat(Dns.resolve("main")).containsExactlyElementsOf(machine().host().addresses());
    });
  }

  @Test
  void files_areInMemory() {
    Simulation.run(() -> {
      Path path = machine().files().path("/tmp/log");
      FileIo.writeString(path, "first");
      assertThat(Files.readString(path)).isEqualTo("first");
      assertThat(Path.of("/tmp/log")).doesNotExist();
    });
  }

  @Test
  void outside_thereIsNone() {
    Heddle.run(() ->
        assertThatThrownBy(RunMember::current)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("call it inside Simulation.run or @HeddleTest"));
  }

  // ---- deadlocks and courses ----

  @Test
  void acceptFromNobody_isADeadlock() {
    SimulationError error =
        catchThrowableOfType(
            SimulationError.class,
            () ->
                Simulation.run(() -> {
                  try (Listener listener = Tcp.listen(ANY)) {
                    listener.accept();
                  }
                }));
    assertThat(error).hasCauseInstanceOf(DeadlockError.class);
    assertThat(error).hasStackTraceContaining("accept");
  }

  @Test
  void acceptFromNobody_withoutPatience_isADeadlockAtOnce() {
    // no other thread could help, so none is waited for
    SimulationResult<Object> result =
        Simulation.record(
            SimulationOptions.defaults().withPatience(Duration.ofDays(1)),
            () -> {
              try (Listener listener = Tcp.listen(ANY)) {
                return listener.accept();
              }
            });
    assertThat(result.failure()).isInstanceOf(DeadlockError.class);
    assertThat(result.uncontrolled()).isEmpty();
  }

  @Test
  void sameSeed_sameTrace() {
    SimulationOptions options = SimulationOptions.defaults();
    var one = Simulation.run(options.withSeed(3), MachineTest::echo);
    var again = Simulation.run(options.withSeed(3), MachineTest::echo);
    assertThat(again.trace()).isEqualTo(one.trace());
    assertThat(again.fingerprint()).isEqualTo(one.fingerprint());
  }

  @Test
  void deadline_ofAnHour_cutsARead() {
    var result =
        Simulation.run(() -> {
          try (Listener listener = Tcp.listen(ANY);
              StreamSocket socket = Tcp.connect(listener.localAddress());
              StreamSocket _ = listener.accept()) {
            assertThatThrownBy(() -> Heddle.withTimeout(HOUR, socket::readLine))
                .isInstanceOf(DeadlineException.class);
          }
        });
    assertThat(result.elapsed()).isBetween(HOUR, HOUR.plusSeconds(1));
  }
}
