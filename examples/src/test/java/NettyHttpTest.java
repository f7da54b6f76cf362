// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.observe.PlatformReport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
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
  void head_thatIsTooLarge_isRefused() throws Exception {
    assertThat(talk("GET / HTTP/1.1\r\nX: " + "a".repeat(200_000) + "\r\n\r\n"))
        .startsWith("HTTP/1.1 431 ");
    assertThat(talk("GET /" + "a".repeat(100_000) + " HTTP/1.1\r\n\r\n"))
        .startsWith("HTTP/1.1 414 ");
  }

  @Test
  void garbage_isRefused_behindTheAnswersThatAreDue() throws Exception {
    assertThat(talk("\u0016\u0003\u0001 garbage\r\n\r\n")).startsWith("HTTP/1.1 400 ");
    assertThat(talk("GET /slow HTTP/1.1\r\n\r\nnonsense\r\n\r\n"))
        .containsSubsequence("200 OK", "took a while", "400 Bad Request");
  }

  @Test
  void body_thatIsTooLarge_isRefused_behindTheAnswersThatAreDue() throws Exception {
    String post = "POST / HTTP/1.1\r\nContent-Length: 100000\r\n\r\n" + "a".repeat(100_000);
    assertThat(talk("GET /slow HTTP/1.1\r\n\r\n" + post))
        .containsSubsequence("200 OK", "took a while", "413 ");
  }

  @Test
  void client_thatHalfClosesBehindItsRequests_getsTheAnswers() throws Exception {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      String requests = "GET /slow HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n";
      socket.getOutputStream().write(requests.getBytes(ISO_8859_1));
      socket.shutdownOutput();
      assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1))
          .containsSubsequence("200 OK", "took a while", "200 OK", "Hello");
    }
  }

  @Test
  void client_thatHalfClosesBehindMoreThanAreServedAtOnce_getsAllAnswers() throws Exception {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".repeat(500).getBytes(ISO_8859_1));
      socket.shutdownOutput();
      String answers = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
      assertThat(answers.split("Hello from Netty", -1)).hasSize(501);
    }
  }

  @Test
  void client_thatHalfClosesWhenAllIsAnswered_isHungUpOn() throws Exception {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(ISO_8859_1));
      assertThat(socket.getInputStream().read()).isEqualTo('H');
      socket.shutdownOutput();
      assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1)).endsWith("loop\n");
    }
  }

  /// What `ab -k` sends, and waits for.
  @Test
  void client_ofHttp10_thatWantsToKeepItsConnection_isTold() throws Exception {
    String keep = "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n";
    String answers = talk(keep + keep + "GET / HTTP/1.0\r\n\r\n");
    assertThat(answers.split("connection: keep-alive", -1)).hasSize(3);
    assertThat(answers.split("Hello from Netty", -1)).hasSize(4);
  }

  /// Netty's own server on io_uring tries again at once, and logs each time.
  @Test
  void server_onIoUringWithoutADescriptorLeft_pauses_saysSoOnce_andGoesOn() throws Exception {
    outlastWantOfDescriptors("io_uring");
  }

  @Test
  void server_onEpollWithoutADescriptorLeft_pauses_saysSoOnce_andGoesOn() throws Exception {
    outlastWantOfDescriptors("epoll");
  }

  @Test
  void server_onNioWithoutADescriptorLeft_pauses_saysSoOnce_andGoesOn() throws Exception {
    outlastWantOfDescriptors("nio");
  }

  private static void outlastWantOfDescriptors(String driver) throws Exception {
    assumeTrue(works(driver), "the driver " + driver + " does not work here");
    long began = System.nanoTime();
    var few = ExampleProcess.startWithOpenFiles(64, "-Dheddle.driver=" + driver, "NettyHttp");
    List<Socket> clients = new ArrayList<>();
    try (few) {
      int at = Integer.parseInt(few.awaitLine("hello at http://127.0.0.1:(\\d+)/").group(1));
      for (int i = 0; i < 100; i++) {
        clients.add(new Socket(InetAddress.getLoopbackAddress(), at));
      }
      few.awaitLine("Cannot accept: .*Too many open files");
      for (int i = 0; i < 99; i++) {
        clients.get(i).close();
      }
      assertThat(ask(clients.getLast())).startsWith("HTTP/1.1 200 OK");
      few.signal("TERM");
      assertThat(few.awaitExit()).isEqualTo(143);
      int minutes = Math.toIntExact(Duration.ofNanos(System.nanoTime() - began).toMinutes());
      assertThat(few.output().lines().filter(line -> line.contains("open files")))
          .hasSizeBetween(1, 1 + minutes); // once a minute
    } finally {
      for (Socket client : clients) {
        client.close();
      }
    }
  }

  private static boolean works(String driver) {
    return PlatformReport.probe().drivers().stream()
        .anyMatch(status -> status.name().equals(driver) && status.available());
  }

  private static String ask(Socket socket) throws IOException {
    String last = "GET / HTTP/1.1\r\nConnection: close\r\n\r\n";
    socket.getOutputStream().write(last.getBytes(ISO_8859_1));
    return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
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
