// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `heddle trace`, of real JVMs, and the files that it writes.
@Tag("watch-3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TraceIT {
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

  private final TracedPrograms programs;
  private final Checkout checkout;
  private final Path folder;

  TraceIT() throws IOException {
    programs = new TracedPrograms();
    checkout = programs.checkout();
    folder = programs.folder();
  }

  @AfterEach
  void endThem() throws Exception {
    programs.close();
  }

  private String busy() throws Exception {
    return programs.java(checkout.write("Busy.java", BUSY), "ready");
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
    // a loop numbers its coroutines one after the other
    assertThat(trace.ids("spawn"))
        .isEqualTo(numbers(trace.ids("spawn").getFirst(), trace.instants("spawn")));
    assertThat(trace.ids("end")).doesNotHaveDuplicates();
  }

  private static List<Long> numbers(long first, int count) {
    return LongStream.range(first, first + count).boxed().toList();
  }

  /// It says what has woken it, and an arrow leads to it from there. Only two sorts of runs have
  /// none: the first one of a coroutine that was woken before the recording, and one after a yield.
  private static void assertEachRunHasItsCause(TraceFile trace, String loop) {
    Map<Long, String> before = new HashMap<>(); // how the last run of a coroutine has ended
    trace.ids("spawn").forEach(id -> before.put(id, "is spawned"));
    long causes = 0;
    for (TraceFile.Slice run : trace.runs(loop)) {
      boolean hasCause = run.args().has("woken by");
      String last =
          before.put(run.args().get("id").longValue(), run.args().get("then").stringValue());
      assertThat(hasCause || last == null || last.equals("yields"))
          .as("%s after %s", run, last)
          .isTrue();
      causes += hasCause ? 1 : 0;
    }
    assertThat(trace.wakes(loop)).isEqualTo(causes).isPositive();
  }

  @Test
  void trace_hasEachRunOfTheLoop_andAnArrowForEachWakeUp() throws Exception {
    TraceFile trace = programs.trace(busy(), "busy.json.gz");

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
    assertEachRunHasItsCause(trace, "loop heddle");
  }

  @Test
  void aSecondTrace_isAsTheFirst_andNothingOfItStays() throws Exception {
    String pid = busy();
    TraceFile first = programs.trace(pid, "first.json");
    TraceFile second = programs.trace(pid, "second.json");

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
    TraceFile trace = programs.trace(programs.siteCheck(), "site.json.gz");
    assertCountsAreTheLoops(trace, "loop heddle");
    assertThat(trace.runs("loop heddle"))
        .anySatisfy(
            run -> assertThat(run.args().get("then").stringValue()).startsWith("waits for"));
    assertEachRunHasItsCause(trace, "loop heddle");
  }

  /// By the worker's own counters, from the first to the last that it tells of each. It goes on
  /// while its recording ends, so one run, sleep or theft may be counted and not be there. Messages
  /// have no counter; `RuntimeTraceMessagesTest` knows how many it sends.
  @Test
  void traceOfBank_isWhatItsWorkersHaveDone() throws Exception {
    TraceFile trace = programs.trace(programs.bank(), "bank.json.gz");
    List<String> workers =
        trace.tracks().stream().filter(track -> track.startsWith("worker ")).toList();
    assertThat(workers).isNotEmpty();
    for (String worker : workers) {
      assertThat((long) trace.runs(worker).size())
          .isCloseTo(trace.count(worker + " executed"), within(1L));
      assertThat(trace.count(worker + " parks") - trace.sleeps(worker).size()).isBetween(0L, 1L);
      // a theft takes no more than there is
      assertThat(trace.count(worker + " stolen") - trace.stolen(worker))
          .isBetween(0L, trace.count(worker + " processes"));
    }
    assertThat(trace.arrows("wake")).isPositive();
    assertThat(trace.instants("message")).isPositive();
    assertThat(trace.arrows("message"))
        .isPositive()
        .isLessThanOrEqualTo(trace.instants("message")); // some may be received after the end
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

  private static boolean hasAPauseAndAHold(TraceFile trace) {
    return has(
            trace,
            "garbage collector",
            pause -> pause.args().path("cause").asString().equals("System.gc()"))
        && has(trace, "loop heddle: holds", hold -> hold.name().startsWith("coroutine-1 'main'"));
  }

  private static boolean has(TraceFile trace, String track, Predicate<TraceFile.Slice> slice) {
    return trace.tracks().contains(track)
        && trace.slices(trace.track(track)).stream().anyMatch(slice);
  }

  @Test
  void pausesHoldsAndCommands_areInTheTrace() throws Exception {
    String pid = programs.java(checkout.write("Interrupted.java", INTERRUPTED), "ready");
    TraceFile trace = null;
    while (trace == null || !hasAPauseAndAHold(trace)) { // under load they fill a second or more
      trace = programs.trace(pid, "interrupted.json.gz");
    }

    List<TraceFile.Slice> pauses = trace.slices(trace.track("garbage collector"));
    assertThat(pauses).hasSize((int) trace.count("pauses"));
    assertThat(trace.commands()).isPositive();
    assertThat(trace.replies()).isBetween(trace.commands() - 1, trace.commands());
    assertThat(trace.instants("timer")).isPositive();
  }

  private static final String EVERYTHING =
      """
      import dev.heddle.*;
      import dev.heddle.io.*;
      import dev.heddle.process.*;
      import dev.heddle.process.supervisor.*;
      import dev.heddle.sync.*;
      import java.net.InetSocketAddress;
      import java.nio.ByteBuffer;
      import java.time.Duration;

      void main() {
        java.util.logging.Logger.getLogger("dev.heddle").setLevel(java.util.logging.Level.OFF);
        ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start();
        runtime.spawn(
            Supervisor.builder()
                .intensity(1_000_000, Duration.ofDays(1))
                .backoff(Backoff.constant(Duration.ofMillis(20)))
                .child(ChildSpec.of("broken", () -> CoroutineProcess.of(self -> {
                  throw new IllegalStateException("broken");
                })))
                .build());
        Heddle.run(() -> {
          Listener listener = Tcp.listen(new InetSocketAddress("127.0.0.1", 0));
          IO.println("ready");
          while (true) {
            Heddle.scope(() -> {
              Heddle.spawn("server", () -> listener.accept().write(ByteBuffer.wrap(new byte[1])));
              AsyncIo client = Tcp.connect((InetSocketAddress) listener.localAddress());
              client.readFully(ByteBuffer.allocate(1));
              client.close();
            });
            Heddle.scope(() -> {
              var napper = Heddle.spawn("napper", () -> { Heddle.delay(Duration.ofHours(1)); return 0; });
              Heddle.delay(Duration.ofMillis(20));
              napper.cancel("enough");
            });
          }
        });
      }
      """;

  @Test
  void cancellationsReadinessAndRestarts_areInTheTrace() throws Exception {
    TraceFile trace =
        programs.trace(
            programs.java(checkout.write("Everything.java", EVERYTHING), "ready"),
            "everything.json.gz");

    int cancelled = trace.instants("cancel");
    assertThat(cancelled).isPositive();
    assertThat(trace.runs("loop heddle"))
        .filteredOn(run -> run.args().path("then").asString().equals("is cancelled"))
        .hasSizeBetween(cancelled - 1, cancelled + 1) // it may begin or end between the two
        .allSatisfy(run -> assertThat(run.name()).isEqualTo("napper"));
    assertThat(trace.instants("I/O", "loop heddle: timers, I/O, other threads"))
        .isPositive()
        .isEqualTo(trace.instants("I/O"));
    assertThat(trace.instants("restart")).isPositive();
  }

  private static final String SPINNING =
      """
      import dev.heddle.*;

      void main() {
        Heddle.run(() -> {
          Heddle.background("other", this::spin);
          IO.println("ready");
          spin();
        });
      }

      void spin() {
        while (true) {
          Heddle.yieldNow();
        }
      }
      """;

  /// Its rings hold less than what it does in two seconds, or in as many as a busy machine needs.
  @Test
  void traceThatHasLostItsOldestEntries_saysHowMany_andIsWellFormed() throws Exception {
    String pid = programs.java(checkout.write("Spinning.java", SPINNING), "ready");
    Path file = folder.resolve("spinning.json.gz");
    TraceFile trace = null;
    String out = "";
    for (int seconds = 2; trace == null || trace.count("lost") == 0; seconds *= 2) {
      Outcome outcome =
          checkout.heddle(
              "trace", pid, "--seconds", Integer.toString(seconds), "-o", file.toString());
      assertThat(outcome.code()).as(outcome.err()).isZero();
      trace = TraceFile.read(file);
      out = outcome.out();
    }

    trace.assertWellFormed();
    assertThat(out)
        .contains(
            "%,d entries of ".formatted(trace.count("recorded") - trace.count("lost")),
            "; the %,d oldest were lost: record for a shorter time".formatted(trace.count("lost")));
    assertThat(trace.runs("loop heddle")).hasSizeGreaterThan(1);
    assertThat(trace.count("loop heddle switches"))
        .as("switches of the loop, beside the runs that are left")
        .isGreaterThan(trace.runs("loop heddle").size());
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
        programs.java(
            checkout.write(
                "Sleeper.java",
                "void main() throws Exception { IO.println(\"up\"); Thread.currentThread().join();"
                    + " }"),
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
    programs.first().process().destroyForcibly().waitFor();

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
