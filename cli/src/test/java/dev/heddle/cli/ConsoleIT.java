// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Who may ask the console, over real connections, and what is left when it has ended.
@Tag("watch-5")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConsoleIT {
  private static final long GIB = 1L << 30;
  private static final Pattern ENDED =
      Pattern.compile("event: end\ndata: .* ended at (\\d\\d:\\d\\d:\\d\\d)(?: |,|\")");

  private final Checkout checkout = Checkout.ready();
  private final List<Outcome.Started> started = new ArrayList<>();
  private String pid = "";
  private ConsoleProgram.@Nullable Running running;

  @BeforeAll
  void start() throws Exception {
    Outcome.Started program = ConsoleProgram.start(checkout, 10);
    started.add(program);
    pid = Long.toString(program.process().pid());
    running = ConsoleProgram.console(checkout, pid);
    started.add(running.console());
  }

  @AfterAll
  void endAll() throws Exception {
    for (Outcome.Started each : started) {
      each.process().destroyForcibly().waitFor();
    }
  }

  private ConsoleProgram.Running console() {
    return Objects.requireNonNull(running);
  }

  /// Sends a request in which TOKEN, PORT and a bar stand for those of the console and for line
  /// breaks, and returns all of the answer.
  private String ask(String request) throws IOException {
    try (Socket socket = connect(console().port())) {
      socket.getOutputStream().write(written(request));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  private byte[] written(String request) {
    return request
        .replace("TOKEN", console().token())
        .replace("PID", pid)
        .replace("PORT", Integer.toString(console().port()))
        .replace("|", "\r\n")
        .concat("\r\nConnection: close\r\n\r\n")
        .getBytes(UTF_8);
  }

  private static Socket connect(int port) throws IOException {
    return new Socket(InetAddress.ofLiteral("127.0.0.1"), port);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT",
        "GET /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT|Origin: http://127.0.0.1:PORT",
        "GET /TOKEN/app.js HTTP/1.1|Host: 127.0.0.1:PORT|Sec-Fetch-Site: same-origin",
        "GET /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT|Sec-Fetch-Site: cross-site|Sec-Fetch-Mode:"
            + " navigate|Sec-Fetch-Dest: document",
        "GET /TOKEN/vendor/uPlot.js HTTP/1.1|Host: 127.0.0.1:PORT"
      })
  void ownRequest_isAnswered_andNoOtherPageMayReadIt(String request) throws Exception {
    assertThat(ask(request))
        .startsWith("HTTP/1.1 200 OK")
        .contains(
            "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'")
        .contains("frame-ancestors 'none'", "X-Content-Type-Options: nosniff", "no-store")
        .doesNotContainIgnoringCase("Access-Control-")
        .doesNotContain("unsafe-inline");
  }

  @ParameterizedTest
  @CsvSource({
    "403, GET / HTTP/1.1|Host: 127.0.0.1:PORT",
    "403, GET /index.html HTTP/1.1|Host: 127.0.0.1:PORT",
    "403, GET /TOKE/ HTTP/1.1|Host: 127.0.0.1:PORT",
    "403, GET /TOKENx/ HTTP/1.1|Host: 127.0.0.1:PORT",
    "403, GET /TOKEN HTTP/1.1|Host: 127.0.0.1:PORT",
    "403, GET //TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT",
    "403, GET /x/TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT",
    "403, GET http://127.0.0.1:PORT/TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT",
    "403, GET /TOKEN/ HTTP/1.1|Host: evil.example:PORT",
    "403, GET /TOKEN/ HTTP/1.1|Host: 127.0.0.1",
    "403, GET /TOKEN/ HTTP/1.1|Host: localhost:PORT",
    "403, GET /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT|Origin: http://localhost:PORT",
    "403, GET /TOKEN/events HTTP/1.1|Host: 127.0.0.1:PORT|Sec-Fetch-Site:"
        + " cross-site|Sec-Fetch-Mode: navigate|Sec-Fetch-Dest: document",
    "403, GET /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT|Host: 127.0.0.1:PORT",
    "403, GET /TOKEN/ HTTP/1.0|Accept: */*",
    "403, GET /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT|Origin: http://evil.example",
    "403, GET /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT|Origin: null",
    "403, GET /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT|Origin: https://127.0.0.1:PORT",
    "403, GET /TOKEN/events HTTP/1.1|Host: 127.0.0.1:PORT|Sec-Fetch-Site:"
        + " cross-site|Sec-Fetch-Mode: cors",
    "403, GET /TOKEN/app.js HTTP/1.1|Host: 127.0.0.1:PORT|Sec-Fetch-Site: same-site|Sec-Fetch-Mode:"
        + " no-cors",
    "403, GET /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT|Sec-Fetch-Site: cross-site|Sec-Fetch-Mode:"
        + " navigate|Sec-Fetch-Dest: iframe",
    "404, GET /TOKEN/trace/1/5 HTTP/1.1|Host: 127.0.0.1:PORT",
    "404, GET /TOKEN/trace/PID/0 HTTP/1.1|Host: 127.0.0.1:PORT",
    "404, GET /TOKEN/trace/PID/31 HTTP/1.1|Host: 127.0.0.1:PORT",
    "404, GET /TOKEN/../../../../etc/passwd HTTP/1.1|Host: 127.0.0.1:PORT",
    "404, GET /TOKEN/%2e%2e/%2e%2e/etc/passwd HTTP/1.1|Host: 127.0.0.1:PORT",
    "404, GET /TOKEN/vendor/..%2fapp.js HTTP/1.1|Host: 127.0.0.1:PORT",
    "404, GET /TOKEN//etc/passwd HTTP/1.1|Host: 127.0.0.1:PORT",
    "404, GET /TOKEN/api/1/0/waits HTTP/1.1|Host: 127.0.0.1:PORT",
    "404, GET /TOKEN/api/x/0/list HTTP/1.1|Host: 127.0.0.1:PORT",
    "405, POST /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT|Content-Length: 0",
    "405, DELETE /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT",
    "405, OPTIONS /TOKEN/events HTTP/1.1|Host: 127.0.0.1:PORT",
    "413, POST /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT|Content-Length: 1",
    "413, GET /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT|Transfer-Encoding: chunked",
    "400, GET /TOKEN/ HTTP/1.1|Host 127.0.0.1:PORT",
    "400, hello"
  })
  void strangeRequest_isRefused(int status, String request) throws Exception {
    assertThat(ask(request))
        .startsWith("HTTP/1.1 " + status + " ")
        .doesNotContain(console().token())
        .doesNotContain("<html", "root:")
        .doesNotContainIgnoringCase("Access-Control-");
  }

  @Test
  void bodyOfAGigabyte_isRefused_withoutBeingRead() throws Exception {
    try (Socket socket = connect(console().port())) {
      OutputStream out = socket.getOutputStream();
      out.write(written("POST /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT|Content-Length: " + GIB));
      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 413 ");
      assertThat(written(out)).as("bytes, all of them in buffers").isLessThan(64 << 20);
    }
  }

  /// How much is taken before the connection breaks, at most a gigabyte.
  private static long written(OutputStream out) {
    byte[] piece = new byte[1 << 20];
    long sent = 0;
    try {
      while (sent < GIB) {
        out.write(piece);
        sent += piece.length;
      }
    } catch (IOException _) {
      return sent;
    }
    return sent;
  }

  @Test
  void requestBesideAnother_isHungUpOn() throws Exception {
    try (Socket socket = connect(console().port())) {
      byte[] events =
          "GET /TOKEN/events HTTP/1.1|Host: 127.0.0.1:PORT||GET /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT||"
              .replace("TOKEN", console().token())
              .replace("PID", pid)
              .replace("PORT", Integer.toString(console().port()))
              .replace("|", "\r\n")
              .getBytes(UTF_8);
      socket.getOutputStream().write(events);
      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
      assertThat(answer)
          .startsWith("HTTP/1.1 200 OK")
          .containsOnlyOnce("text/event-stream")
          .doesNotContain("<html");
    }
  }

  @Test
  void portThatIsTaken_isSaid() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      String port = Integer.toString(taken.getLocalPort());
      Outcome outcome = checkout.heddle("console", "--no-browser", "--port", port);
      assertThat(outcome.code()).as(outcome.err()).isEqualTo(1);
      assertThat(outcome.err()).startsWith("heddle: cannot listen on port " + port).hasLineCount(1);
    }
  }

  @Test
  void processThatIsNotThere_isSaid() throws Exception {
    Outcome outcome = checkout.heddle("console", "--no-browser", "999999999");
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.err()).isEqualTo("heddle: there is no process 999999999\n");
  }

  /// They have no token; and could they guess it, they would not be heard.
  @Test
  void anotherUser_isHungUpOn_evenWithTheToken() throws Exception {
    assumeTrue(canBecomeAnother(), "not root, or no setpriv: nobody else can ask here");
    String request = new String(written("GET /TOKEN/ HTTP/1.1|Host: 127.0.0.1:PORT"), UTF_8);
    String script =
        "exec 3<>/dev/tcp/127.0.0.1/%d && printf '%%s' \"$0\" >&3 && cat <&3"
            .formatted(console().port());
    assertThat(asUser(0, script, request)).contains("200 OK");
    assertThat(asUser(65_534, script, request)).isEmpty();
  }

  private static String asUser(int user, String script, String request) throws Exception {
    Process asking =
        new ProcessBuilder(
                "setpriv", "--reuid=" + user, "--clear-groups", "bash", "-c", script, request)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    return new String(asking.getInputStream().readAllBytes(), UTF_8);
  }

  private static boolean canBecomeAnother() throws Exception {
    boolean isRoot = "root".equals(System.getProperty("user.name"));
    return isRoot && Files.isExecutable(Path.of("/usr/bin/setpriv"));
  }

  /// A console in a forgotten terminal was paid for with each coroutine that ran.
  @Test
  void programIsLeftAlone_afterTheLastPageWasClosed_andWatchedAgainWithTheNext() throws Exception {
    Outcome.Started program = ConsoleProgram.start(checkout, 10);
    started.add(program);
    ConsoleProgram.Running own =
        ConsoleProgram.console(checkout, Long.toString(program.process().pid()));
    started.add(own.console());
    try (Socket page = events(own)) {
      awaitLook(page.getInputStream());
      program.awaitOutput("The loop is watched.");
    }
    program.awaitOutput("The loop is left alone.");
    try (Socket page = events(own)) {
      awaitLook(page.getInputStream());
      program.awaitOutput("The loop is left alone.\nThe loop is watched.");
    }
  }

  private static Socket events(ConsoleProgram.Running of) throws IOException {
    Socket page = connect(of.port());
    page.getOutputStream()
        .write(
            "GET /%s/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"
                .formatted(of.token(), of.port())
                .getBytes(UTF_8));
    return page;
  }

  /// It was noticed with the next page, dated then, and without how it ended.
  @Test
  @Tag("watch-6")
  void end_whileNoPageIsOpen_isToldToTheNextOne_asItWas() throws Exception {
    assumeTrue(
        Files.isReadable(Path.of("/proc/self/task")), "no /proc: cannot be seen from outside");
    Outcome.Started program = ConsoleProgram.start(checkout, 10);
    started.add(program);
    String target = Long.toString(program.process().pid());
    ConsoleProgram.Running own = ConsoleProgram.console(checkout, target);
    started.add(own.console());
    String watching = Long.toString(own.console().process().pid());
    while (threads(watching).stream().noneMatch(name -> name.startsWith("heddle-looker"))) {
      Thread.onSpinWait(); // a thread names itself after it has begun
    }
    String before = LocalTime.now(ZoneId.systemDefault()).toString();
    program.process().destroyForcibly().waitFor();
    while (threads(watching).stream().anyMatch(name -> name.startsWith("heddle-looker"))) {
      Thread.onSpinWait();
    }
    String noticed = LocalTime.now(ZoneId.systemDefault()).toString();
    assumeTrue(before.compareTo(noticed) <= 0, "midnight has passed meanwhile");
    try (Socket page = events(own)) {
      String told = await(page.getInputStream(), "event: ready");
      Matcher end = ENDED.matcher(told);
      assertThat(end.find()).as(told).isTrue();
      assertThat(end.group(1)).isLessThanOrEqualTo(noticed);
    }
  }

  /// SIGINT, as Ctrl-C.
  @Test
  void end_leavesNothing_neitherHereNorThere() throws Exception {
    assumeTrue(
        Files.isReadable(Path.of("/proc/self/task")), "no /proc: cannot be seen from outside");
    Outcome.Started program = ConsoleProgram.start(checkout, 10);
    started.add(program);
    String target = Long.toString(program.process().pid());
    ConsoleProgram.Running own = ConsoleProgram.console(checkout, target);
    started.add(own.console());
    try (Socket page = events(own)) {
      awaitLook(page.getInputStream());
      assertThat(threads(target)).anyMatch(name -> name.startsWith("heddle-attach"));
      String interrupt = "kill -INT " + own.console().process().pid();
      assertThat(new ProcessBuilder("sh", "-c", interrupt).start().waitFor()).isZero();
      assertThat(own.console().process().waitFor()).isIn(0, 130);
      byte[] _ = page.getInputStream().readAllBytes(); // it is closed
    }
    assertThatThrownBy(() -> connect(own.port()).close()).isInstanceOf(ConnectException.class);
    while (threads(target).stream().anyMatch(name -> name.startsWith("heddle-attach"))) {
      Thread.onSpinWait();
    }
    assertThat(program.process().isAlive()).isTrue();
    assertThat(checkout.heddle("ps", target).code()).isZero();
  }

  private static void awaitLook(InputStream events) throws IOException {
    String _ = await(events, "event: look");
  }

  private static String await(InputStream events, String wanted) throws IOException {
    StringBuilder read = new StringBuilder();
    while (read.indexOf(wanted) < 0) {
      int next = events.read();
      assertThat(next).as(read.toString()).isNotNegative();
      read.append((char) next);
    }
    return read.toString();
  }

  private static Set<String> threads(String process) throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> tasks = Files.list(Path.of("/proc", process, "task"))) {
      for (Path task : tasks.toList()) {
        try {
          names.add(Files.readString(task.resolve("comm")).strip());
        } catch (IOException _) {
          // it has just ended
        }
      }
    }
    return names;
  }
}
