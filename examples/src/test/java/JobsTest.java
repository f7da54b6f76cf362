// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JobsTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void jobs_fromAFile_areRunAndSummedUp() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("jobs"),
            """
            # three of them
            echo one; echo and more >&2

              exit 3
            printf 'no end'
            """);
    try (var jobs = ExampleProcess.start("Jobs", "-j", "2", "-f", file.toString())) {
      assertThat(jobs.awaitExit()).isOne();
      assertThat(jobs.output())
          .containsSubsequence("[1] one\n", "[1] and more\n")
          .contains("[3] no end\n")
          .containsPattern("(?m)^  1  done .* ms  echo one; echo and more >&2$")
          .containsPattern("(?m)^  2  exit code 3 .* ms  exit 3$")
          .contains("3 commands: 2 succeeded, 1 did not, 0 were not begun");
    }
  }

  @Test
  void jobs_thatAllSucceed_exitWithZero_andOutputComesLive() throws Exception {
    Path go = folder.resolve("go");
    String waits = "echo ready; while [ ! -e " + go + " ]; do sleep 0.01; done; echo went";
    try (var jobs = ExampleProcess.start("Jobs", waits)) {
      jobs.awaitLine("^\\[1\\] ready$");
      Files.createFile(go);
      assertThat(jobs.awaitExit()).isZero();
      assertThat(jobs.output()).contains("[1] went").contains("1 succeeded, 0 did not");
    }
  }

  @Test
  void job_overItsTime_isKilledWithItsDescendants() throws Exception {
    String hangs = "sleep 1000 & echo pid $!; wait";
    int seconds = 1;
    while (!jobOverItsTime(seconds, hangs)) {
      seconds *= 2; // on a slow machine the time was over before the jobs had begun
      assertThat(seconds).isLessThan(100);
    }
  }

  /// Whether both jobs came so far as to print their line in time.
  private static boolean jobOverItsTime(int seconds, String hangs) throws Exception {
    try (var jobs = ExampleProcess.start("Jobs", "-t", "" + seconds, hangs, "echo other")) {
      assertThat(jobs.awaitExit()).isOne();
      assertThat(jobs.output()).containsPattern("(?m)^  1  killed after " + seconds + " s .*");
      Matcher pid = Pattern.compile("pid (\\d+)").matcher(jobs.output());
      if (!pid.find() || !jobs.output().contains("1 did not")) {
        return false;
      }
      while (isRunning(Long.parseLong(pid.group(1)))) {
        Thread.onSpinWait(); // it has been killed, and the system takes its time
      }
      return true;
    }
  }

  private static boolean isRunning(long pid) {
    return ProcessHandle.of(pid).flatMap(process -> process.info().command()).isPresent();
  }

  @Test
  void interrupt_killsWhatRuns_andReportsTheRest() throws Exception {
    try (var jobs = ExampleProcess.start("Jobs", "-j", "1", "echo up; sleep 1000", "echo later")) {
      jobs.awaitLine("^\\[1\\] up$");
      jobs.signal("INT");
      assertThat(jobs.awaitExit()).isEqualTo(130);
      assertThat(jobs.output())
          .containsPattern("(?m)^  1  interrupted ")
          .contains("2 commands: 0 succeeded, 1 did not, 1 were not begun");
    }
  }

  @Test
  void wrongUsage_isExplained() throws Exception {
    try (var none = ExampleProcess.start("Jobs");
        var wrong = ExampleProcess.start("Jobs", "-j", "none", "true");
        var help = ExampleProcess.start("Jobs", "--help")) {
      assertThat(none.awaitExit()).isEqualTo(2);
      assertThat(none.output()).contains("Jobs: no commands were given").contains("usage:");
      assertThat(wrong.awaitExit()).isEqualTo(2);
      assertThat(wrong.output()).contains("-j needs a positive number, not none");
      assertThat(help.awaitExit()).isZero();
      assertThat(help.output()).startsWith("usage:");
    }
  }
}
