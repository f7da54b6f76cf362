// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("NullAway.Init") // set before each test
final class FileServerTest {
  @TempDir private Path parent;
  private ExampleProcess server;
  private int port;

  @BeforeEach
  void serve() throws Exception {
    Path folder = Files.createDirectory(parent.resolve("served"));
    Files.writeString(parent.resolve("secret"), "outside");
    Files.writeString(folder.resolve(".hidden"), "hidden");
    Files.writeString(folder.resolve("page.html"), "<p>page");
    Files.writeString(folder.resolve("text.md"), "## A title: `x<y>`\n\n[l](page.html)\n");
    Files.createDirectory(folder.resolve("sub"));
    Files.createSymbolicLink(folder.resolve("way-out"), parent.resolve("secret"));
    assertThat(new ProcessBuilder("mkfifo", folder.resolve("pipe").toString()).start().waitFor())
        .isZero();
    server = ExampleProcess.start("FileServer", folder.toString());
    port = Integer.parseInt(server.awaitLine("Serving .* at .*:(\\d+)/").group(1));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /// Sends bytes, reads until the server closes.
  private String talk(String request) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private String get(String path) throws IOException {
    return talk("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  }

  @Test
  void get_page_hasLengthAndType() throws Exception {
    assertThat(get("/page.html?q"))
        .startsWith("HTTP/1.1 200 OK\r\n")
        .contains("Content-Type: text/html; charset=utf-8\r\n", "Content-Length: 7\r\n")
        .endsWith("\r\n\r\n<p>page");
  }

  @Test
  void get_markdown_isHtmlWithIdsAndLinks() throws Exception {
    assertThat(get("/text.md"))
        .contains(
            "text/html", "<h2 id=\"a-title-xy\">", "x&lt;y&gt;", "<a href=\"page.html\">l</a>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/../secret",
        "/%2e%2e/secret",
        "/sub/../../secret",
        "/.hidden",
        "/way-out",
        "/gone",
        "/pipe",
        "/sub/"
      })
  void get_whatIsNotServed_is404(String path) throws Exception {
    assertThat(get(path)).startsWith("HTTP/1.1 404 ").doesNotContain("outside", "hidden");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/%00", "/a|b", "/%zz"})
  void get_noUrl_is400(String path) throws Exception {
    assertThat(get(path)).startsWith("HTTP/1.1 400 ");
  }

  @Test
  void get_folderWithoutSlash_isRedirected() throws Exception {
    assertThat(get("/sub")).startsWith("HTTP/1.1 301 ").contains("\r\nLocation: /sub/\r\n");
  }

  @Test
  void head_page_hasNoBody() throws Exception {
    assertThat(talk("HEAD /page.html HTTP/1.0\r\n\r\n"))
        .contains("Content-Length: 7")
        .endsWith("\r\n\r\n");
  }

  @Test
  void post_page_isRefusedAndItsBodyIsNoRequest() throws Exception {
    String answer = talk("POST / HTTP/1.1\r\nContent-Length: 18\r\n\r\nGET / HTTP/1.1\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 405 ").contains("Allow: GET, HEAD");
    assertThat(answer.split("HTTP/1.1 ", -1)).hasSize(2);
  }

  @Test
  void keepAlive_twoRequestsAtOnce_areAnsweredInOrder() throws Exception {
    String answers =
        talk("GET /page.html HTTP/1.1\r\n\r\nGET /gone HTTP/1.1\r\nConnection: close\r\n\r\n");
    assertThat(answers).containsSubsequence("200 OK", "keep-alive", "<p>page", "404", "close");
  }

  @Test
  void talk_nonsense_is400AndOthersAreServed() throws Exception {
    assertThat(talk("nonsense\r\n\r\n")).startsWith("HTTP/1.1 400 ");
    assertThat(get("/page.html")).startsWith("HTTP/1.1 200 ");
  }
}
