// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.test.Simulation;
import dev.heddle.test.SimulationOptions;
import dev.heddle.test.node.Node;
import java.io.IOException;
import java.net.ConnectException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The sockets, channels and selectors of the JDK in a simulation; in a JVM with the agent.
@Tag("agent")
@Timeout(300)
class AgentSocketsTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final InetAddress LOCAL = InetAddress.getLoopbackAddress();

  private static InetSocketAddress any() {
    return new InetSocketAddress(LOCAL, 0);
  }

  private static <T> FutureTask<T> start(Callable<T> task) {
    FutureTask<T> future = new FutureTask<>(task);
    new Thread(future).start();
    return future;
  }

  private static InetAddress byName(String name) throws UnknownHostException {
    return InetAddress.getAllByName(name)[0];
  }

  private static String text(ByteBuffer buffer) {
    return UTF_8.decode(buffer.flip()).toString();
  }

  // ---- java.net ----

  private static String lateEcho() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 5, LOCAL)) {
      FutureTask<Void> echo =
          start(() -> {
            try (Socket peer = server.accept()) {
              byte[] question = peer.getInputStream().readAllBytes();
              Thread.sleep(HOUR);
              peer.getOutputStream().write(question);
              return null;
            }
          });
      try (Socket socket = new Socket(LOCAL, server.getLocalPort())) {
        socket.getOutputStream().write("hello".getBytes(UTF_8));
        socket.shutdownOutput();
        String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
        echo.get();
        return answer;
      }
    }
  }

  @Test
  void socket_waitsInVirtualTime_andRepeats() {
    SimulationOptions options = SimulationOptions.defaults().withSeed(5);
    var one = Simulation.run(options, AgentSocketsTest::lateEcho);
    var other = Simulation.run(options, AgentSocketsTest::lateEcho);
    assertThat(one.value()).isEqualTo("hello");
    assertThat(one.elapsed()).isBetween(HOUR, HOUR.plusSeconds(1));
    assertThat(other.trace()).isEqualTo(one.trace());
    assertThat(other.fingerprint()).isEqualTo(one.fingerprint());
  }

  @Test
  void socketTimeouts_areOfVirtualTime() {
    var result =
        Simulation.run(() -> {
          try (ServerSocket server = new ServerSocket(0, 5, LOCAL);
              Socket socket = new Socket(LOCAL, server.getLocalPort())) {
            socket.setSoTimeout(3_600_000);
            assertThatThrownBy(() -> socket.getInputStream().read())
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessage("Read timed out");
            server.setSoTimeout(3_600_000);
            server.accept().close();
            assertThatThrownBy(server::accept).isInstanceOf(SocketTimeoutException.class);
          }
        });
    assertThat(result.elapsed())
        .isBetween(HOUR.multipliedBy(2), HOUR.multipliedBy(2).plusSeconds(1));
  }

  @Test
  @SuppressWarnings("try") // closed twice: by another thread, which is tested, and at the end
  void close_endsARead() {
    Simulation.run(() -> {
      try (ServerSocket server = new ServerSocket(0, 5, LOCAL);
          Socket socket = new Socket(LOCAL, server.getLocalPort())) {
        FutureTask<Integer> read = start(() -> socket.getInputStream().read());
        Thread.sleep(HOUR);
        socket.close();
        assertThatThrownBy(read::get)
            .hasCauseInstanceOf(SocketException.class)
            .hasMessageContaining("Socket closed");
      }
    });
  }

  @Test
  void connectToNobody_isRefused() {
    Simulation.run(
        () -> assertThatThrownBy(() -> new Socket(LOCAL, 4)).isInstanceOf(ConnectException.class));
  }

  @Test
  void names_areThoseOfTheNetwork() {
    Simulation.run(() -> {
      assertThat(byName("main").getHostAddress()).startsWith("10.0.0.");
      assertThat(byName("localhost").isLoopbackAddress()).isTrue();
      assertThatThrownBy(() -> byName("no.example")).isInstanceOf(UnknownHostException.class);
    });
  }

  @Test
  void sockets_ofTwoNodes_meet_andACrashIsFelt() {
    Simulation.run(() -> {
      Node server =
          Node.start(
              "server",
              () -> {
                try (ServerSocket socket = new ServerSocket(80);
                    Socket peer = socket.accept()) {
                  peer.getOutputStream().write('x');
                  Thread.sleep(HOUR.multipliedBy(10));
                }
              });
      Thread.sleep(1_000);
      try (Socket socket = new Socket(byName("server"), 80)) {
        assertThat(socket.getInputStream().read()).isEqualTo('x');
        assertThat(socket.getInetAddress()).isEqualTo(byName("server"));
        server.crash();
        socket.setSoTimeout((int) HOUR.toMillis());
        assertThatThrownBy(() -> socket.getInputStream().read())
            .isInstanceOf(SocketTimeoutException.class); // no peer is told of a crash
      }
    });
  }

  @Test
  void datagramSocket_isRefusedByName() {
    var result =
        Simulation.record(
            SimulationOptions.defaults(),
            () -> {
              try (DatagramSocket socket = new DatagramSocket()) {
                return socket.getLocalPort();
              }
            });
    assertThat(result.failure()).hasStackTraceContaining("a socket of the operating system");
  }

  // ---- java.nio ----

  @Test
  void selector_wakesUpForData_forATimeout_andForWakeup() {
    var result =
        Simulation.run(() -> {
          try (ServerSocketChannel server = ServerSocketChannel.open().bind(any());
              SocketChannel client = SocketChannel.open(server.getLocalAddress());
              SocketChannel peer = server.accept();
              Selector selector = Selector.open()) {
            client.configureBlocking(false);
            SelectionKey key = client.register(selector, SelectionKey.OP_READ);
            assertThat(selector.select(3_600_000)).isZero();
            peer.write(UTF_8.encode("hello"));
            assertThat(selector.select()).isOne();
            assertThat(key.isReadable()).isTrue();
            ByteBuffer into = ByteBuffer.allocate(16);
            assertThat(client.read(into)).isEqualTo(5);
            assertThat(text(into)).isEqualTo("hello");
            selector.selectedKeys().clear();
            FutureTask<Integer> selection = start(selector::select);
            Thread.sleep(HOUR);
            selector.wakeup();
            assertThat(selection.get()).isZero();
          }
        });
    assertThat(result.elapsed())
        .isBetween(HOUR.multipliedBy(2), HOUR.multipliedBy(2).plusSeconds(1));
  }

  @Test
  void selectNow_inALoop_letsTimePass() {
    Simulation.run(() -> {
      try (Selector selector = Selector.open()) {
        long began = System.nanoTime();
        while (System.nanoTime() - began < 1_000_000) {
          assertThat(selector.selectNow()).isZero();
        }
      }
    });
  }

  @Test
  void interrupt_andClose_endABlockingRead() {
    Simulation.run(() -> {
      try (ServerSocketChannel server = ServerSocketChannel.open().bind(any())) {
        SocketChannel one = SocketChannel.open(server.getLocalAddress());
        FutureTask<Integer> read = new FutureTask<>(() -> one.read(ByteBuffer.allocate(1)));
        Thread reader = new Thread(read);
        reader.start();
        Thread.sleep(HOUR);
        reader.interrupt();
        assertThatThrownBy(read::get).hasCauseInstanceOf(ClosedByInterruptException.class);
        SocketChannel other = SocketChannel.open(server.getLocalAddress());
        FutureTask<Integer> second = start(() -> other.read(ByteBuffer.allocate(1)));
        Thread.sleep(HOUR);
        other.close();
        assertThatThrownBy(second::get).hasCauseInstanceOf(AsynchronousCloseException.class);
      }
    });
  }

  @Test
  void socketOfAChannel_readsWithATimeout() {
    Simulation.run(() -> {
      try (ServerSocketChannel server = ServerSocketChannel.open().bind(any());
          SocketChannel client = SocketChannel.open(server.getLocalAddress());
          SocketChannel peer = server.accept()) {
        Socket socket = client.socket();
        socket.setSoTimeout(1_000);
        assertThatThrownBy(() -> socket.getInputStream().read())
            .isInstanceOf(SocketTimeoutException.class);
        peer.socket().getOutputStream().write('x');
        assertThat(socket.getInputStream().read()).isEqualTo('x');
        assertThat(socket.getPort()).isEqualTo(server.socket().getLocalPort());
      }
    });
  }

  @Test
  void pipe_carriesBytes() {
    Simulation.run(() -> {
      Pipe pipe = Pipe.open();
      try (var source = pipe.source();
          var sink = pipe.sink()) {
        FutureTask<String> read =
            start(() -> {
              ByteBuffer into = ByteBuffer.allocate(16);
              source.read(into);
              return text(into);
            });
        Thread.sleep(HOUR);
        sink.write(UTF_8.encode("hello"));
        assertThat(read.get()).isEqualTo("hello");
      }
    });
  }

  @Test
  void datagramChannel_sendsAndReceives() {
    Simulation.run(() -> {
      try (DatagramChannel one = DatagramChannel.open().bind(any());
          DatagramChannel other = DatagramChannel.open().bind(any())) {
        FutureTask<String> received =
            start(() -> {
              ByteBuffer into = ByteBuffer.allocate(16);
              assertThat(other.receive(into)).isEqualTo(one.getLocalAddress());
              return text(into);
            });
        Thread.sleep(HOUR);
        one.send(UTF_8.encode("hello"), other.getLocalAddress());
        assertThat(received.get()).isEqualTo("hello");
      }
    });
  }

  @Test
  void unixChannel_connects() {
    Simulation.run(() -> {
      var address = UnixDomainSocketAddress.of("/no/such/directory/socket");
      try (ServerSocketChannel server =
              ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
          SocketChannel client = SocketChannel.open(address);
          SocketChannel peer = server.accept()) {
        client.write(UTF_8.encode("hello"));
        ByteBuffer into = ByteBuffer.allocate(16);
        peer.read(into);
        assertThat(text(into)).isEqualTo("hello");
      }
    });
  }

  @Test
  void provider_outsideOfASimulation_isTheJdks() throws IOException {
    try (SocketChannel channel = SimulatedProvider.INSTANCE.openSocketChannel()) {
      assertThat(channel).isNotInstanceOf(SocketChannelFront.class);
    }
  }
}
