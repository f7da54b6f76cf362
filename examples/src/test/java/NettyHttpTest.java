// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@SuppressWarnings("NullAway.Init") // set before the tests
final class NettyHttpTest {
  private static ExampleProcess server;
  private static int port;

  @BeforeAll
  static void serve() throws Exception {
    server = ExampleProcess.start("NettyHttp");
    port = Integer.parseInt(server.awaitLine("hello at http://127.0.0.1:(\\d+)/").group(1));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpRequest get(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
  }

  @Test
  void get_byAClientLibrary_isAnsweredTwiceOnOneConnection() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      for (int i = 0; i < 2; i++) {
        var response = client.send(get("/?q"), BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("Hello from Netty on a loop\n");
      }
      assertThat(client.send(get("/gone"), BodyHandlers.ofString()).statusCode()).isEqualTo(404);
    }
  }

  @Test
  void get_ofWhatAsksTheServerItself_byManyAtOnce_isAnswered() {
    try (HttpClient client = HttpClient.newHttpClient()) {
      List<CompletableFuture<HttpResponse<String>>> answers =
          Stream.generate(() -> client.sendAsync(get("/self"), BodyHandlers.ofString()))
              .limit(30)
              .toList();
      assertThat(answers)
          .allSatisfy(answer ->
              assertThat(answer.join().body()).isEqualTo("the server said: that took a while\n"));
    }
  }

  @Test
  void get_manyAtOnceOnOneConnection_areAnsweredInOrder() throws Exception {
    String requests =
        """
        GET /slow HTTP/1.1
        Host: x

        GET /gone HTTP/1.1
        Host: x

        GET / HTTP/1.1
        Host: x
        Connection: close

        """;
    assertThat(talk(requests.replace("\n", "\r\n")))
        .containsSubsequence("200 OK", "took a while", "404 Not Found", "200 OK", "Hello");
  }

  private static String talk(String requests) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(requests.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  @Test
  void get_moreOnOneConnectionThanAreServedAtOnce_areAllAnswered() throws Exception {
    String last = "GET / HTTP/1.1\r\nConnection: close\r\n\r\n";
    String answers = talk("GET /slow HTTP/1.1\r\n\r\n".repeat(50) + last);
    assertThat(answers.split("took a while", -1)).hasSize(51);
    assertThat(answers).endsWith("Hello from Netty on a loop\n");
  }

  @Test
  void get_ofWhatCannotBeAnswered_fails_andClosesTheConnection() throws Exception {
    assertThat(talk("GET /%zz HTTP/1.1\r\n\r\n"))
        .startsWith("HTTP/1.1 500 ")
        .endsWith("that went wrong\n");
  }

  @Test
  void post_isRefused() throws Exception {
    assertThat(talk("POST / HTTP/1.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"))
        .startsWith("HTTP/1.1 405 ");
  }

  @Test
  void port_thatIsNone_exitsWith2() throws Exception {
    try (var wrong = ExampleProcess.start("NettyHttp", "70000")) {
      assertThat(wrong.awaitExit()).isEqualTo(2);
    }
  }
}
