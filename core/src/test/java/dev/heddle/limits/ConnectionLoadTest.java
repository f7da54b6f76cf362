// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.hosting.ChildJvm;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.TcpOptions;
import dev.heddle.reactor.Drivers;
import dev.heddle.reactor.driver.DriverProvider;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Ten thousand connections of one loop at a time, on every driver that works here.
@Tag("T14.3")
@Tag("trap-29")
@Tag("full")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConnectionLoadTest {
  private static final int CONNECTIONS = 10_000;
  private static final int OTHERS = 200; // descriptors of a JVM that runs tests

  static Stream<String> drivers() {
    return Drivers.offered().stream()
        .map(DriverProvider::name)
        .filter(driver -> !driver.equals("kqueue")); // this counts descriptors as Linux shows them
  }

  /// The other ends, in a JVM of their own: a process may have half of them open only.
  public static final class Clients {
    private Clients() {}

    public static void main(String[] args) throws IOException {
      InetSocketAddress server =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
      Random random = new Random(40);
      List<SocketChannel> all = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        all.add(SocketChannel.open(server));
      }
      long right = 0;
      for (SocketChannel one : all) {
        ByteBuffer question = ByteBuffer.allocate(8).putLong(0, random.nextLong());
        one.write(question.duplicate());
        ByteBuffer answer = ByteBuffer.allocate(8);
        while (answer.hasRemaining() && one.read(answer) >= 0) {
          // more
        }
        right += answer.getLong(0) == ~question.getLong(0) ? 1 : 0;
      }
      for (SocketChannel one : all) {
        one.close();
      }
      System.out.println("right answers: " + right);
    }
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void connections_tenThousandAtATime_areServedAndLeaveNoDescriptor(String driver)
      throws Exception {
    requireDriver(driver);
    requireDescriptors();
    Heddle.run(
        HeddleOptions.defaults().withDriver(driver),
        () -> {
          try (Listener listener = Tcp.listen(Connections.ANY_PORT, TcpOptions.defaults())) {
            long before = Descriptors.sockets();
            int port = ((InetSocketAddress) listener.localAddress()).getPort();
            Coroutine<ChildJvm.Result> clients =
                Heddle.spawn(() ->
                    Heddle.offload(() ->
                        ChildJvm.of(Clients.class).withArguments(String.valueOf(port)).run()));
            serve(listener);
            assertThat(clients.await().output()).contains("right answers: " + CONNECTIONS);
            while (Descriptors.sockets() > before) {
              Heddle.delay(Duration.ofMillis(2)); // a selector lets go at its next look
            }
          }
        });
  }

  private static void serve(Listener listener) {
    Heddle.scope(scope -> {
      for (int i = 0; i < CONNECTIONS; i++) {
        StreamSocket client = listener.accept();
        scope.launch("client", () -> answer(client));
      }
      return null;
    });
  }

  private static void answer(StreamSocket client) throws IOException {
    try (client) {
      ByteBuffer buffer = ByteBuffer.allocate(8);
      client.readFully(buffer);
      client.write(buffer.putLong(0, ~buffer.getLong(0)).flip());
      assertThat(client.read(buffer.clear())).isEqualTo(-1);
    }
  }

  private static void requireDriver(String driver) {
    for (DriverProvider offered : Drivers.offered()) {
      if (offered.name().equals(driver)) {
        String problem = offered.problem();
        assumeTrue(problem == null, () -> "not proved here is this on " + driver + ": " + problem);
      }
    }
  }

  private static void requireDescriptors() {
    long limit =
        ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getMaxFileDescriptorCount();
    assertThat(limit)
        .as("descriptors that a process may have; raise it, for example: ulimit -n 20000")
        .isGreaterThan(CONNECTIONS + OTHERS);
  }
}
