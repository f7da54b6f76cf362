// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("NullAway.Init") // set before the tests
final class HttpHelloTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final String LAST = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

  private static ExampleProcess server;
  private static int port;

  @BeforeAll
  static void serve() throws Exception {
    server = ExampleProcess.start("HttpHello");
    port = Integer.parseInt(server.awaitLine("Hello at http://127.0.0.1:(\\d+)/").group(1));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /// Sends bytes piece by piece, each when the one before has been answered or taken; reads until
  /// the server closes.
  private static String talk(String... pieces) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setTcpNoDelay(true);
      for (String piece : pieces) {
        socket.getOutputStream().write(piece.getBytes(ISO_8859_1));
      }
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  private static int count(String text, String part) {
    return text.split(part, -1).length - 1;
  }

  @Test
  void get_byAClientLibrary_saysHelloTwiceOnOneConnection() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/?q")).build();
      for (int i = 0; i < 2; i++) {
        var response = client.send(request, BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("Hello, World!");
        assertThat(response.headers().firstValue("Date")).isPresent();
      }
    }
  }

  @Test
  void get_manyAtOnce_areAllAnsweredInOrder() throws Exception {
    String answers = talk(GET.repeat(300) + "GET /gone HTTP/1.1\r\nHost: x\r\n\r\n" + LAST);

    assertThat(count(answers, "HTTP/1.1 200 OK\r\n")).isEqualTo(301);
    assertThat(answers).containsSubsequence("World!HTTP/1.1 404 Not Found", "World!");
    assertThat(answers).endsWith("Connection: close\r\n\r\nHello, World!");
  }

  @Test
  void get_byteByByte_isAnswered() throws Exception {
    assertThat(talk(LAST.split(""))).startsWith("HTTP/1.1 200 OK\r\n");
  }

  @Test
  void head_hasTheLengthAndNoBody() throws Exception {
    assertThat(talk("HEAD / HTTP/1.1\r\nhost: x\r\nCONNECTION: Close\r\n\r\n"))
        .contains("Content-Length: 13\r\n")
        .endsWith("\r\n\r\n");
  }

  @Test
  void oldVersion_isAnsweredAndClosed() throws Exception {
    assertThat(talk("GET / HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 200 ").contains("close");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense\r\n",
        "\r\n",
        "GET / HTTP/1.1\nHost: x\n\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET  HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: x\r\n\r\n",
        "GET / HTTP/one\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\nno header\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\rContent-Length: 5\r\n\r\n",
        "\u0000\u0001\u0016\u0003"
      })
  void garbage_is400AndClosed(String garbage) throws Exception {
    String answer = talk(garbage);

    assertThat(answer).startsWith("HTTP/1.1 400 ").contains("Connection: close\r\n");
    assertThat(count(answer, "HTTP/1.1 ")).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "'POST / HTTP/1.1\r\nHost: x\r\n', 405",
    "'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n', 413",
    "'GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n', 413",
    "'GET / HTTP/2.0\r\nHost: x\r\n', 505",
    "'GET /gone HTTP/1.1\r\nHost: x\r\n', 404",
    "'GET x HTTP/1.1\r\nHost: x\r\n', 404",
  })
  void whatIsNotServed_saysWhy(String head, String status) throws Exception {
    assertThat(talk(head + "Connection: close\r\n\r\n")).startsWith("HTTP/1.1 " + status + " ");
  }

  @Test
  void headWithoutEnd_is431() throws Exception {
    assertThat(talk("GET / HTTP/1.1\r\nX: " + "a".repeat(8192 - 19))).startsWith("HTTP/1.1 431 ");
  }

  @Test
  void client_resets_othersAreServed() throws Exception {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoLinger(true, 0);
      socket.getOutputStream().write(GET.getBytes(ISO_8859_1));
    }
    assertThat(talk(LAST)).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void port_thatIsNone_exitsWith2() throws Exception {
    try (var wrong = ExampleProcess.start("HttpHello", "70000")) {
      assertThat(wrong.awaitExit()).isEqualTo(2);
    }
  }
}
