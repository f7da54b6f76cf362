// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class EchoTest {
  private static Socket connect(ExampleProcess echo) throws Exception {
    int port = Integer.parseInt(echo.awaitLine("Echo on .*:(\\d+)").group(1));
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }

  private static String exchange(Socket socket, String text) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    socket.getOutputStream().write(bytes);
    return new String(socket.getInputStream().readNBytes(bytes.length), StandardCharsets.UTF_8);
  }

  @Test
  void echo_clientResets_serverGoesOnForOthers() throws Exception {
    try (var echo = ExampleProcess.start("Echo");
        Socket stays = connect(echo)) {
      try (Socket resets = another(stays)) {
        assertThat(exchange(resets, "short")).isEqualTo("short");
        resets.setOption(StandardSocketOptions.SO_LINGER, 0); // closing sends RST
      }
      echo.awaitLine("A client broke: .* after 5 bytes");
      assertThat(exchange(stays, "still here")).isEqualTo("still here");
      try (Socket later = another(stays)) {
        assertThat(exchange(later, "a new one")).isEqualTo("a new one");
      }
      echo.awaitLine("A client left after 9 bytes");
    }
  }

  private static Socket another(Socket first) throws Exception {
    return new Socket(first.getInetAddress(), first.getPort());
  }

  @Test
  void sigterm_openClients_endsThemAndExitsWith143() throws Exception {
    try (var echo = ExampleProcess.start("Echo");
        Socket client = connect(echo)) {
      assertThat(exchange(client, "abc")).isEqualTo("abc");
      echo.signal("TERM");
      assertThat(client.getInputStream().read()).isEqualTo(-1);
      assertThat(echo.awaitExit()).isEqualTo(143);
      assertThat(echo.output()).contains("A client was cut off after 3 bytes");
    }
  }

  @Test
  void echo_portThatIsNone_exitsWith2() throws Exception {
    try (var echo = ExampleProcess.start("Echo", "70000")) {
      assertThat(echo.awaitExit()).isEqualTo(2);
    }
  }
}
