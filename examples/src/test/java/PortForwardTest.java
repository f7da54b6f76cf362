// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings({"NullAway.Init", "try"}) // set before each test; who ends first is closed first
final class PortForwardTest {
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  private ServerSocket target;
  private ExampleProcess forward;
  private int port;

  @BeforeEach
  void forward() throws Exception {
    target = new ServerSocket(0, 10, HERE);
    startForward(target.getLocalPort());
  }

  private void startForward(int to) throws Exception {
    forward = ExampleProcess.start("PortForward", "0", "127.0.0.1:" + to, "1");
    port = Integer.parseInt(forward.awaitLine("Forwarding .*:(\\d+) to ").group(1));
  }

  @AfterEach
  void close() throws IOException {
    forward.close();
    target.close();
  }

  private static String readAll(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), UTF_8);
  }

  private static String read(Socket socket, int count) throws IOException {
    return new String(socket.getInputStream().readNBytes(count), UTF_8);
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(UTF_8));
  }

  @Test
  void client_thatHasSaidAll_stillReadsTheAnswer() throws Exception {
    try (Socket client = new Socket(HERE, port);
        Socket server = target.accept()) {
      write(client, "question");
      client.shutdownOutput();
      assertThat(readAll(server)).isEqualTo("question");
      write(server, "the answer");
      server.close();
      assertThat(readAll(client)).isEqualTo("the answer");
      forward.awaitLine("ended; 8 bytes there, 10 back");
    }
  }

  @Test
  void server_thatHasSaidAll_isStillWrittenTo() throws Exception {
    try (Socket client = new Socket(HERE, port);
        Socket server = target.accept()) {
      write(server, "go on");
      server.shutdownOutput();
      assertThat(readAll(client)).isEqualTo("go on");
      write(client, "I do");
      client.close();
      assertThat(readAll(server)).isEqualTo("I do");
      forward.awaitLine("ended; 4 bytes there, 5 back");
    }
  }

  @Test
  void server_thatResets_endsItsTunnelAndNoOther() throws Exception {
    try (Socket stays = new Socket(HERE, port);
        Socket ofStays = target.accept();
        Socket client = new Socket(HERE, port);
        Socket server = target.accept()) {
      write(client, "abc");
      assertThat(read(server, 3)).isEqualTo("abc");
      server.setOption(StandardSocketOptions.SO_LINGER, 0); // closing sends RST
      server.close();
      assertThat(client.getInputStream().read()).isEqualTo(-1);
      forward.awaitLine("broke: .*; 3 bytes there, 0 back");
      write(stays, "still here");
      assertThat(read(ofStays, 10)).isEqualTo("still here");
    }
  }

  @Test
  void target_thatRefuses_endsTheClientOnly() throws Exception {
    try (Socket deaf = new Socket()) { // nobody else gets its port
      deaf.bind(new InetSocketAddress(HERE, 0));
      forward.close();
      startForward(deaf.getLocalPort());
      try (Socket client = new Socket(HERE, port)) {
        assertThat(client.getInputStream().read()).isEqualTo(-1);
      }
      forward.awaitLine("broke: .*[Rr]efused.*; 0 bytes there, 0 back");
      assertThat(forward.isAlive()).isTrue();
    }
  }

  @Test
  void statistics_areTold_whenTheyHaveChanged() throws Exception {
    try (Socket client = new Socket(HERE, port);
        Socket server = target.accept()) {
      write(client, "abc");
      assertThat(read(server, 3)).isEqualTo("abc");
      forward.awaitLine("^1 open, 0 served, 0 failed; 3 bytes there, 0 back$");
    }
    forward.awaitLine("^0 open, 1 served, 0 failed; 3 bytes there, 0 back$");
  }

  @Test
  void sigterm_letsInNobodyNewAndWhoIsConnectedFinish() throws Exception {
    try (Socket client = new Socket(HERE, port);
        Socket server = target.accept()) {
      write(client, "a");
      assertThat(read(server, 1)).isEqualTo("a");
      forward.signal("TERM");
      forward.awaitLine("Stopping; 1 open");
      assertThatThrownBy(() -> new Socket(HERE, port).close()).isInstanceOf(ConnectException.class);
      write(server, "last words");
      server.close();
      assertThat(readAll(client)).isEqualTo("last words");
    }
    assertThat(forward.awaitExit()).isZero();
    assertThat(forward.output())
        .contains("In all: 0 open, 1 served, 0 failed; 1 bytes there, 10 back");
  }

  @Test
  void secondSignal_endsItAtOnceWithItsStatistics() throws Exception {
    try (Socket client = new Socket(HERE, port);
        Socket server = target.accept()) {
      forward.signal("TERM");
      forward.awaitLine("Stopping; 1 open");
      Thread.sleep(1_100); // one within a second is the same request
      forward.signal("TERM");
      assertThat(client.getInputStream().read()).isEqualTo(-1);
      assertThat(server.getInputStream().read()).isEqualTo(-1);
    }
    assertThat(forward.awaitExit()).isEqualTo(143);
    assertThat(forward.output()).contains("was cut off", "In all: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "0", "0 nowhere", "70000 localhost:1", "0 localhost:70000", "0 x:1 0"})
  void arguments_thatMakeNoSense_exitWith2(String arguments) throws Exception {
    try (var refused = ExampleProcess.start("PortForward", arguments.split(" "))) {
      assertThat(refused.awaitExit()).isEqualTo(2);
      assertThat(refused.output()).contains("usage: ");
    }
  }
}
