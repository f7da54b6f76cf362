// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A program is as it was when its observer has ended, however that has ended: one program, which
/// one after the other observes.
@Tag("watch-1")
@Tag("watch-5")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LeftAsFoundIT {
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
  private static final int UNITS = 8; // more than the loops and runtimes of the program
  private static final String FREE = "state: watch=false, switches=false, workers=false.\n";
  private static final String WATCHED = "state: watch=true, switches=false, workers=false.\n";
  private static final String TRACED = "state: watch=true, switches=true, workers=true.\n";

  /// Says what is told of it, whenever that has changed.
  private static final String PROGRAM =
      """
      import dev.heddle.*;
      import dev.heddle.coroutine.tree.CoroutineNode;
      import dev.heddle.process.*;
      import dev.heddle.process.scheduler.WorkerPool;
      import java.time.Duration;

      void main() throws Exception {
        var runtime = ProcessRuntime.builder().workers(2).host("shop").start();
        runtime.spawn((events, out) -> out.execute(1, Commands.sleep(Duration.ofMillis(2))));
        var field = ProcessRuntime.class.getDeclaredField("workers");
        field.setAccessible(true);
        var workers = (WorkerPool) field.get(runtime);
        Heddle.run(() -> {
          Heddle.background("napper", () -> Heddle.delay(Duration.ofHours(1)));
          IO.println("ready");
          String before = "";
          while (true) {
            var tree = CoroutineNode.current().tree();
            String now = "state: watch=%b, switches=%b, workers=%b.".formatted(
                tree.watch() != null, tree.scheduler().trace() != null, workers.isObserved());
            if (!now.equals(before)) {
              IO.println(now);
              before = now;
            }
            Heddle.delay(Duration.ofMillis(5));
          }
        });
      }
      """;

  private final Checkout checkout = Checkout.ready();
  private final List<Outcome.Started> started = new ArrayList<>();
  private long pid;
  private Footprint before = new Footprint(List.of(), List.of());

  @BeforeAll
  void start() throws Exception {
    assumeTrue(
        Files.isReadable(Path.of("/proc/self/task")), "no /proc: cannot be seen from outside");
    Outcome.Started child =
        Outcome.start(
            List.of(
                JAVA.toString(),
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:-UsePerfData", // no other test's command finds it
                "-cp",
                System.getProperty("heddle.jar"),
                checkout.write("Left.java", PROGRAM).toString()),
            checkout.root(),
            Map.of(),
            "");
    started.add(child);
    child.awaitOutput(FREE);
    pid = child.process().pid();
    // a first look and a first trace: by then all threads of the JVM and the program have started
    assertThat(checkout.heddle("dump", target()).code()).isZero();
    assertIsTraced();
    while (Footprint.of(pid).threads().stream().anyMatch(name -> name.matches("heddle-(att|tr).*"))
        || !child.read("out").endsWith(FREE)) {
      Thread.onSpinWait();
    }
    before = Footprint.of(pid);
  }

  @AfterAll
  void endAll() throws Exception {
    for (Outcome.Started each : started) {
      each.process().destroyForcibly().waitFor();
    }
  }

  private String target() {
    return Long.toString(pid);
  }

  private void assertIsTraced() throws Exception {
    Outcome outcome = Outcome.of(startTrace("1"));
    assertThat(outcome.code()).as(outcome.err()).isZero();
  }

  private void awaitState(String state) {
    while (!started.getFirst().read("out").endsWith(state)) {
      assertThat(started.getFirst().process().isAlive()).isTrue();
      Thread.onSpinWait();
    }
  }

  private static void end(String signal, Process observer) throws Exception {
    String command = "kill -" + signal + " " + observer.pid();
    assertThat(new ProcessBuilder("sh", "-c", command).start().waitFor()).isZero();
  }

  private void assertIsAsItWas() throws Exception {
    awaitState(FREE);
    before.awaitAgain(pid);
    assertThat(Footprint.files(pid)).isEmpty();
    assertIsTraced(); // nobody else records
  }

  @ParameterizedTest
  @ValueSource(strings = {"INT", "TERM", "KILL"})
  void console_thatASignalEnds_leavesTheProgramAsItWas(String signal) throws Exception {
    ConsoleProgram.Running console = ConsoleProgram.console(checkout, target());
    started.add(console.console());
    try (Socket events = ask(console, "events");
        Socket trace = ask(console, "trace/" + pid + "/30")) {
      awaitState(TRACED);
      for (int i = 0; i < UNITS; i++) {
        accounts(console, i);
      }
      assertThat(trace.getInputStream().available()).as("it is recorded still").isZero();
      end(signal, console.console().process());
      int _ = console.console().process().waitFor();
      events.shutdownOutput();
    }
    assertIsAsItWas();
  }

  private static Socket ask(ConsoleProgram.Running console, String path) throws IOException {
    Socket socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), console.port());
    socket
        .getOutputStream()
        .write(
            "GET /%s/%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n"
                .formatted(console.token(), path, console.port())
                .getBytes(UTF_8));
    return socket;
  }

  // of the loop or runtime of that number, if there is one
  private void accounts(ConsoleProgram.Running console, int unit) throws IOException {
    try (Socket socket = ask(console, "api/" + pid + "/" + unit + "/accounts");
        InputStream in = socket.getInputStream()) {
      byte[] _ = in.readAllBytes();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"INT", "TERM", "KILL"})
  void top_thatASignalEnds_leavesTheProgramAsItWas(String signal) throws Exception {
    try (PseudoTerminal terminal = checkout.onTerminal(120, 60, "before", "top", target())) {
      terminal.await("Workers of 'shop'");
      awaitState(WATCHED);
      terminal.type("a");
      terminal.await(
          now -> now.contains("Use of 'heddle'") && now.contains("Use of the 2 workers"));
      Outcome.Started trace = traceBesideTop();
      end(signal, terminal.process());
      end(signal, trace.process());
      int _ = terminal.awaitEnd();
      int _ = trace.process().waitFor();
    }
    assertIsAsItWas();
  }

  // another one is refused by then; before, this one may have been refused for it
  private Outcome.Started traceBesideTop() throws Exception {
    Outcome.Started trace = startTrace("3600");
    while (!Outcome.of(startTrace("1")).err().contains("another observer records a trace")
        || !trace.process().isAlive()) {
      if (!trace.process().isAlive()) {
        trace = startTrace("3600");
      }
    }
    return trace;
  }

  private Outcome.Started startTrace(String seconds) throws IOException {
    String file = Files.createTempFile(checkout.root(), "left", ".json").toString();
    Outcome.Started trace = checkout.start("trace", target(), "--seconds", seconds, "-o", file);
    started.add(trace);
    return trace;
  }
}
