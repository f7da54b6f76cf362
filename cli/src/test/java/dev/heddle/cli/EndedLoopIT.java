// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// A program whose only loop has ended with a deadlock, and that goes on: what is known of the
/// deadlock is still to be seen. The watchdog left five seconds after the loop, and nobody could
/// ask that JVM any more.
@Tag("watch-4")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EndedLoopIT {
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
  private static final String KNOWN =
      "The loop 'dock' (of process \\d+ )?ended \\d+(\\.\\d)? (s|min \\d+ s) ago\\. Deadlock: ";

  /// It says `over` when the watchdog has left, or would have.
  private static final String PROGRAM =
      """
      import dev.heddle.*;
      import dev.heddle.sync.*;
      import java.time.Duration;

      void main() throws Exception {
        try {
          Heddle.run(HeddleOptions.defaults().withName("dock"), this::embrace);
        } catch (DeadlockError e) {
          IO.println("deadlocked");
        }
        for (var thread : Thread.getAllStackTraces().keySet()) {
          if (thread.getName().equals("heddle-watchdog")) {
            thread.join(Duration.ofSeconds(8));
          }
        }
        IO.println("over");
        Thread.currentThread().join();
      }

      void embrace() {
        var left = new Mutex("left");
        var right = new Mutex("right");
        left.lock();
        Heddle.launch("debit", () -> {
          right.lock();
          left.lock();
        });
        Heddle.yieldNow();
        right.lock();
      }
      """;

  private final Checkout checkout = Checkout.ready();
  private Outcome.@Nullable Started program;
  private String pid = "";

  @BeforeAll
  void start() throws Exception {
    List<String> command =
        List.of(
            JAVA.toString(),
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            // is not listed: only this test asks it, not the commands of others that ask all
            "-XX:-UsePerfData",
            "-cp",
            System.getProperty("heddle.jar"),
            checkout.write("Dock.java", PROGRAM).toString());
    Outcome.Started started = Outcome.start(command, checkout.root(), Map.of(), "");
    program = started;
    started.awaitOutput("over");
    pid = Long.toString(started.process().pid());
  }

  @AfterAll
  void end() throws InterruptedException {
    if (program != null) {
      program.process().destroyForcibly().waitFor();
    }
  }

  @Test
  void ps_saysWhichLoopHasEnded_andHowLongAgo() throws Exception {
    Outcome outcome = checkout.heddle("ps", pid);
    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out()).containsPattern(KNOWN).contains(pid);
  }

  @Test
  void top_saysWhichLoopHasEnded_andThatNoneRuns() throws Exception {
    Outcome outcome = checkout.heddle("top", "--once", pid);
    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out()).containsPattern(KNOWN).contains("Neither loops nor processes run");
  }

  @Test
  void console_watchesIt() throws Exception {
    ConsoleProgram.Running console = ConsoleProgram.console(checkout, pid);
    try {
      assertThat(console.console().process().isAlive()).isTrue();
    } finally {
      console.console().process().destroyForcibly().waitFor();
    }
  }

  @Test
  void dump_saysThatNothingRuns() throws Exception {
    Outcome outcome = checkout.heddle("dump", pid);
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.err()).contains("neither loops nor processes of Heddle run");
  }
}
