// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `heddle trace`, of real JVMs, and the files that it writes.
@Tag("watch-3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TraceIT {
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
  private static final Path EXAMPLES = Path.of(System.getProperty("heddle.root"), "examples");

  private static final String BUSY =
      """
      import dev.heddle.*;
      import dev.heddle.sync.Channel;
      import java.time.Duration;

      void main() {
        Heddle.run(() -> {
          Channel<Integer> jobs = Channel.of("jobs", 4);
          Heddle.background("taker", () -> {
            while (true) {
              jobs.receive();
              Heddle.delay(Duration.ofMillis(5));
            }
          });
          Heddle.background("giver", () -> {
            while (true) {
              jobs.send(1);
            }
          });
          IO.println("ready");
          while (true) {
            Heddle.scope(() -> Heddle.spawn("child", () -> Heddle.delay(Duration.ofMillis(3))));
          }
        });
      }
      """;

  private final Checkout checkout = Checkout.ready();
  private final List<Outcome.Started> started = new ArrayList<>();
  private final CountDownLatch requested = new CountDownLatch(1);
  private Path folder = Path.of("");

  @BeforeEach
  void makeFolder() throws IOException {
    folder = Files.createTempDirectory(checkout.root(), "trace");
  }

  @AfterEach
  void endThem() throws InterruptedException {
    for (Outcome.Started each : started) {
      each.process().destroyForcibly().waitFor();
    }
  }

  private String java(Path source, String ready, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                JAVA.toString(),
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("heddle.jar"),
                source.toString()));
    command.addAll(List.of(arguments));
    Outcome.Started child = Outcome.start(command, folder, Map.of(), "");
    started.add(child);
    child.awaitOutput(ready);
    return Long.toString(child.process().pid());
  }

  private String busy() throws Exception {
    return java(checkout.write("Busy.java", BUSY), "ready");
  }

  private TraceFile trace(String pid, Path file) throws Exception {
    Outcome outcome = checkout.heddle("trace", pid, "--seconds", "1", "-o", file.toString());
    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out()).contains(file + ": ", " entries of 1 s", "ui.perfetto.dev");
    TraceFile read = TraceFile.read(file);
    read.assertWellFormed();
    assertThat(read.count("lost")).isZero();
    return read;
  }

  /// Nothing is invented, and nothing left out.
  private static void assertCountsAreTheLoops(TraceFile trace, String loop) {
    assertThat(trace.runs(loop))
        .hasSize(
            (int)
                (trace.count(loop + " switches")
                    - trace.count(loop + " retriedMounts")
                    + trace.count(loop + " selfResumes")
                    + trace.count(loop + " reusedStarts")));
    assertThat(trace.sleeps(loop)).hasSize((int) trace.count(loop + " sleeps"));
    assertThat(trace.instants("spawn") - trace.instants("end"))
        .isEqualTo(
            (int) (trace.count(loop + " coroutines") - trace.count(loop + " coroutinesBefore")));
  }

  @Test
  void trace_hasEachRunOfTheLoop_andAnArrowForEachWakeUp() throws Exception {
    TraceFile trace = trace(busy(), folder.resolve("busy.json.gz"));

    assertCountsAreTheLoops(trace, "loop heddle");
    assertThat(trace.runs("loop heddle"))
        .anySatisfy(run -> {
          assertThat(run.name()).isEqualTo("giver");
          assertThat(run.args().get("woken by").stringValue()).isEqualTo("channel");
          assertThat(run.args().get("then").stringValue()).isEqualTo("waits for channel");
        })
        .anySatisfy(run -> {
          assertThat(run.name()).isEqualTo("child");
          assertThat(run.args().get("then").stringValue()).isEqualTo("returns");
        });
    assertThat(trace.arrows()).isPositive();
  }

  @Test
  void aSecondTrace_isAsTheFirst_andNothingOfItStays() throws Exception {
    String pid = busy();
    TraceFile first = trace(pid, folder.resolve("first.json"));
    TraceFile second = trace(pid, folder.resolve("second.json"));

    assertCountsAreTheLoops(first, "loop heddle");
    assertCountsAreTheLoops(second, "loop heddle");
    assertThat(second.count("loop heddle beganNanos"))
        .isGreaterThan(first.count("loop heddle endedNanos"));
    try (var files = Files.list(Path.of("/tmp"))) {
      assertThat(files).noneMatch(file -> file.getFileName().toString().equals(".heddle-" + pid));
    }
  }

  @Test
  void traceOfSiteCheck_isWhatItsLoopHasDone() throws Exception {
    try (ServerSocket site = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> serve(site));
      String start = "http://127.0.0.1:" + site.getLocalPort() + "/1";
      String pid = example("SiteCheck.java", start);
      requested.await();

      TraceFile trace = trace(pid, folder.resolve("site.json.gz"));
      assertCountsAreTheLoops(trace, "loop heddle");
      assertThat(trace.runs("loop heddle"))
          .anySatisfy(
              run -> assertThat(run.args().get("then").stringValue()).startsWith("waits for"));
      assertThat(trace.arrows()).isPositive();
      started.getFirst().process().destroyForcibly().waitFor();
    }
  }

  private String example(String name, String... arguments) throws IOException {
    List<String> words = new ArrayList<>(List.of("run", EXAMPLES.resolve(name).toString()));
    words.addAll(List.of(arguments));
    Outcome.Started child = checkout.start(words.toArray(String[]::new));
    started.add(child);
    return Long.toString(child.process().pid());
  }

  /// A worker goes on while its recording ends: one run may be missing.
  @Test
  void traceOfBank_isWhatItsWorkersHaveDone() throws Exception {
    String pid = example("Bank.java", "-n", "1000000", "-c", "0");
    while (!checkout.heddle("ps", pid).out().contains("RUNTIME")) {
      assertThat(started.getFirst().process().isAlive())
          .as(started.getFirst().read("err"))
          .isTrue();
    }

    TraceFile trace = trace(pid, folder.resolve("bank.json.gz"));
    List<String> workers =
        trace.tracks().stream().filter(track -> track.startsWith("worker ")).toList();
    assertThat(workers).isNotEmpty();
    for (String worker : workers) {
      assertThat((long) trace.runs(worker).size())
          .isCloseTo(trace.count(worker + " executed"), within(1L));
    }
    assertThat(trace.arrows("wake")).isPositive();
    assertThat(trace.instants("message")).isPositive();
    assertThat(trace.arrows("message"))
        .isPositive()
        .isLessThanOrEqualTo(trace.instants("message")); // some may be received after the end
  }

  /// A site without an end, a connection for each page.
  private void serve(ServerSocket site) {
    try {
      while (true) {
        Socket socket = site.accept();
        Thread.ofVirtual().start(() -> answer(socket));
      }
    } catch (IOException _) {
      // the test is over
    }
  }

  private void answer(Socket socket) {
    try (socket;
        var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
      String line = in.readLine();
      if (line == null) {
        return; // the client has been ended
      }
      long number = Long.parseLong(line.split(" ")[1].substring(1));
      while (!line.isEmpty()) {
        line = in.readLine();
      }
      String page = "<a href='/%d'>a</a> <a href='/%d'>b</a>".formatted(2 * number, 2 * number + 1);
      String text =
          "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: "
              + page.length()
              + "\r\n\r\n"
              + page;
      socket.getOutputStream().write(text.getBytes(UTF_8));
      requested.countDown();
    } catch (IOException _) {
      // the test is over
    }
  }

  private static final String INTERRUPTED =
      """
      import dev.heddle.*;
      import dev.heddle.process.*;
      import java.time.Duration;

      void main() {
        ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start();
        runtime.spawn((events, out) -> {
          out.execute(1, Commands.sleep(Duration.ofMillis(2)));
        });
        Heddle.run(HeddleOptions.defaults().withHoldLimit(Duration.ofMillis(20)), () -> {
          IO.println("ready");
          while (true) {
            Heddle.delay(Duration.ofMillis(50));
            System.gc();
            long until = System.nanoTime() + 100_000_000;
            while (System.nanoTime() < until) {
              Thread.onSpinWait();
            }
          }
        });
      }
      """;

  @Test
  void pausesHoldsAndCommands_areInTheTrace() throws Exception {
    TraceFile trace =
        trace(
            java(checkout.write("Interrupted.java", INTERRUPTED), "ready"),
            folder.resolve("interrupted.json.gz"));

    List<TraceFile.Slice> pauses = trace.slices(trace.track("garbage collector"));
    assertThat(pauses)
        .hasSize((int) trace.count("pauses"))
        .anySatisfy(
            pause -> assertThat(pause.args().get("cause").stringValue()).isEqualTo("System.gc()"));
    assertThat(trace.slices(trace.track("loop heddle: holds")))
        .isNotEmpty()
        .allSatisfy(hold -> assertThat(hold.name()).startsWith("coroutine-1 'main'"));
    assertThat(trace.commands()).isPositive();
    assertThat(trace.replies()).isBetween(trace.commands() - 1, trace.commands());
    assertThat(trace.instants("timer")).isPositive();
  }

  // ---- what cannot be ----

  private void assertRefused(Outcome outcome, String... why) throws IOException {
    assertThat(outcome.code()).as(outcome.err()).isEqualTo(1);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).startsWith("heddle: ").hasLineCount(1).contains(why);
    try (var files = Files.list(folder)) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void fileThatCannotBeWritten_isSaidBeforeAnythingIsRecorded() throws Exception {
    String pid = busy();
    String nowhere = folder.resolve("none/trace.json").toString();

    assertRefused(
        checkout.heddle("trace", pid, "--seconds", "3600", "-o", nowhere),
        "cannot write " + nowhere,
        "its folder is not there");
    assertRefused(
        checkout.heddle("trace", pid, "--seconds", "3600", "-o", folder.toString()),
        "cannot write " + folder,
        "it is a folder");
  }

  @Test
  void processThatIsNotThere_orNoneOfHeddle_isRefused() throws Exception {
    String file = folder.resolve("trace.json").toString();
    assertRefused(checkout.heddle("trace", "999999999", "-o", file), "there is no process");
    String pid =
        java(
            checkout.write(
                "Sleeper.java",
                "void main() throws Exception { IO.println(\"up\"); Thread.currentThread().join(); }"),
            "up");
    assertRefused(
        checkout.heddle("trace", pid, "-o", file), "neither loops nor processes of Heddle");
  }

  @Test
  void numberOfSeconds_thatMakesNoSense_isAWrongUsage() throws Exception {
    assertThat(checkout.heddle("trace", "1", "--seconds", "0").code()).isEqualTo(2);
    assertThat(checkout.heddle("trace").code()).isEqualTo(2);
  }

  @Test
  void processThatEndsMeanwhile_isSaidByName_andNoFileIsLeft() throws Exception {
    String pid = busy();
    Path file = folder.resolve("trace.json");
    Outcome.Started recording =
        checkout.start("trace", pid, "--seconds", "3600", "-o", file.toString());
    while (!Files.exists(file)) {
      Thread.onSpinWait(); // it has asked that process by then
    }
    started.getFirst().process().destroyForcibly().waitFor();

    assertRefused(Outcome.of(recording), "process " + pid + " (Busy.java) ended at ");
  }

  /// Else nobody could record that program any more, and it would go on paying.
  @Test
  void recorderThatIsKilled_leavesTheProgramToTheNextOne() throws Exception {
    String pid = busy();
    Path file = folder.resolve("killed.json");
    String again = folder.resolve("again.json").toString();
    Outcome.Started recording =
        checkout.start("trace", pid, "--seconds", "3600", "-o", file.toString());
    Outcome outcome = checkout.heddle("trace", pid, "--seconds", "1", "-o", again);
    while (outcome.code() == 0) { // the other one did not record yet, or was refused for this one
      if (!recording.process().isAlive()) {
        recording = checkout.start("trace", pid, "--seconds", "3600", "-o", file.toString());
      }
      outcome = checkout.heddle("trace", pid, "--seconds", "1", "-o", again);
    }
    assertThat(outcome.err()).contains("another observer records a trace");
    recording.process().destroyForcibly().waitFor();
    do { // that program may not have seen the end of its pipe
      outcome = checkout.heddle("trace", pid, "--seconds", "1", "-o", again);
    } while (outcome.err().contains("another observer"));
    assertThat(outcome.code()).as(outcome.err()).isZero();
    TraceFile.read(Path.of(again)).assertWellFormed();
  }
}
