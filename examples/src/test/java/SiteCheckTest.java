// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SiteCheckTest {
  private static final String PATIENT = "600000"; // ms for a page, on a machine however slow
  @TempDir private Path folder = Path.of("");

  private void page(String name, String html) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, html);
  }

  @Test
  void check_brokenLinks_namesThemWithTheirPlace() throws Exception {
    page("index.html", "<a href='a.html'>a</a><a href=gone.html>b</a><img src=\"/no.png\">");
    page("a.html", "<h1 id=here>h</h1><a href='#here'>x</a><a href='#nowhere'>y</a>");
    try (var check = ExampleProcess.start("SiteCheck", "-t", PATIENT, folder.toString())) {
      assertThat(check.awaitExit()).isEqualTo(1);
      assertThat(check.output())
          .contains("Broken links: 3")
          .contains("/gone.html  404 Not Found\n      in /")
          .contains("/no.png  404 Not Found\n      in /")
          .contains("/a.html#nowhere  nothing there has this id\n      in /a.html");
    }
  }

  @Test
  void check_goodLinks_exitsWithZero() throws Exception {
    page("index.html", "<a href='sub'>relative</a><a href='/sub/b%20c.html#%C3%A4'>absolute</a>");
    page("sub/index.html", "<a href='../index.html'>up</a><!-- <a href='gone'>comment</a> -->");
    page("sub/b c.html", "<p id='ä'><a href='mailto:x@example.org'>mail</a><a href='?q'>q</a>");
    try (var check =
        ExampleProcess.start("SiteCheck", "-t", PATIENT, "-n", "2", folder.toString())) {
      assertThat(check.awaitExit()).as(check.text()).isZero();
      assertThat(check.output()).contains("No broken links.").contains("pages a second");
    }
  }

  @Test
  void check_pageLinkedFromMany_isFetchedOnce() throws Exception {
    page("index.html", "<a href=a.html></a><a href=b.html></a><a href='./a.html#x'></a>");
    page("a.html", "<p id=x><a href=b.html></a><a href='/'></a>");
    page("b.html", "<a href=a.html></a><a href='/../index.html'></a>");
    try (var check = ExampleProcess.start("SiteCheck", "-t", PATIENT, folder.toString())) {
      assertThat(check.awaitExit()).isZero();
      // "/", "/index.html", "/a.html", "/b.html"
      assertThat(check.output()).contains("4 pages, ");
    }
  }

  @Test
  void words_ofAllPages_areCounted_withoutMarkup() throws Exception {
    page(
        "index.html", "<a href=a.html class=hidden>Heddle</a> heddle, HEDDLE and shuttle &hellip;");
    page("a.html", "<script>shuttle()</script><!-- shuttle --><a href=b.html>Shuttle loom</a>");
    page("b.html", "<p>heddle shuttle warping</p>");
    try (var check = ExampleProcess.start("SiteCheck", "-t", PATIENT, folder.toString())) {
      assertThat(check.awaitExit()).as(check.text()).isZero();
      assertThat(check.output())
          .endsWith("Words used most:\n      4  heddle\n      3  shuttle\n      1  warping");
    }
  }

  @Test
  void check_ownPages_haveNoBrokenLink() throws Exception {
    try (var check = ExampleProcess.start("SiteCheck", "-t", PATIENT)) {
      assertThat(check.awaitExit()).as(check.text()).isZero();
    }
  }

  @Test
  void sigint_slowCrawl_printsWhatItHasAndExitsWith130() throws Exception {
    var asked = new CountDownLatch(1);
    // one at a time: what comes before the page that hangs is done by then
    try (var site = new Site(new CountDownLatch(1), asked);
        var check = ExampleProcess.start("SiteCheck", "-n", "1", "-t", PATIENT, site.address())) {
      asked.await();
      check.signal("INT");
      assertThat(check.awaitExit()).as(check.text()).isEqualTo(130);
      assertThat(check.output())
          .contains("Interrupted: 2 pages, ")
          .contains("/gone  404")
          .contains("Words used most:");
    }
  }

  @Test
  void check_pageWithoutAnswer_isBrokenAfterItsTime() throws Exception {
    String output;
    int millis = 1_000;
    do { // on a slow machine the pages that are there take too long, too
      millis *= 2;
      try (var site = new Site(new CountDownLatch(1), new CountDownLatch(1));
          var check = ExampleProcess.start("SiteCheck", "-t", "" + millis, site.address())) {
        assertThat(check.awaitExit()).isEqualTo(1);
        output = check.output();
      }
    } while (!output.contains("/gone  404") && millis < 60_000);
    assertThat(output)
        .contains("/slow1  no answer within " + millis + " ms")
        .contains("/slow2  no");
  }

  @Test
  void check_nobodyThere_saysSo() throws Exception {
    try (var check = ExampleProcess.start("SiteCheck", "http://127.0.0.1:1/")) {
      assertThat(check.awaitExit()).isEqualTo(1);
      assertThat(check.output()).contains("Connection refused\n      in (start)");
    }
  }

  @Test
  void check_wrongUsage_exitsWith2() throws Exception {
    try (var check = ExampleProcess.start("SiteCheck", "--no-such-option")) {
      assertThat(check.awaitExit()).isEqualTo(2);
      assertThat(check.output()).contains("--no-such-option").contains("usage:");
    }
  }

  /// A site whose start page names one page that is missing and two that never answer.
  private static final class Site implements AutoCloseable {
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

    /// @param asked counted down for each page that never answers
    Site(CountDownLatch never, CountDownLatch asked) throws IOException {
      server.setExecutor(threads);
      server.createContext(
          "/",
          exchange -> {
            String path = exchange.getRequestURI().getPath();
            if (path.startsWith("/slow")) {
              asked.countDown();
              awaitQuietly(never);
              return;
            }
            byte[] body =
                "<a href=gone></a><a href=slow1></a><a href=slow2></a>"
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/html");
            exchange.sendResponseHeaders(path.equals("/") ? 200 : 404, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
          });
      server.start();
    }

    private static void awaitQuietly(CountDownLatch latch) {
      try {
        latch.await();
      } catch (InterruptedException _) {
        // the test is over
      }
    }

    String address() {
      return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    @Override
    public void close() {
      threads.shutdownNow();
      server.stop(0);
    }
  }
}
