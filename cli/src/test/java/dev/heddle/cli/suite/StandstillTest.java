// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A shell plays Maven, and a JVM of a real program the tests that wait for ever.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StandstillTest {
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final String WAITS =
      """
      class WaitingTest {
        public static void main(String[] args) throws Exception {
          java.nio.file.Files.createFile(java.nio.file.Path.of(args[1]));
          for (;;) {
            java.util.concurrent.locks.LockSupport.park();
          }
        }
      }
      """;

  @TempDir private Path root = Path.of("");

  @BeforeEach
  void project() throws IOException {
    Files.writeString(root.resolve("WaitingTest.java"), WAITS);
    Files.writeString(
        root.resolve("pom.xml"), "<project><modules><module>core</module></modules></project>");
    Files.createDirectories(root.resolve("core/src/test"));
    Files.writeString(
        root.resolve("core/pom.xml"),
        "<project><artifactId>heddle-core</artifactId><name>Heddle core</name></project>");
  }

  /// A JVM that has begun, below a shell that waits for it, as Maven does.
  private ProcessBuilder maven() {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String script =
        """
        echo '[main] [INFO] Scanning for projects...'
        %s WaitingTest.java surefirebooter begun &
        while [ ! -e begun ]; do sleep 0.05; done
        echo '[t] [INFO] --- surefire:3.6.1:test (default-test) @ heddle-core ---'
        wait $!
        exit 1
        """
            .formatted(java);
    return new ProcessBuilder("sh", "-c", script).directory(root.toFile());
  }

  @Test
  void testThatWaitsForEver_isEnded_andTheResultHasItsStack() throws Exception {
    var out = new StringWriter();
    var print = new PrintWriter(out, true);
    var plan = new SuitePlan(root, root.resolve("state"), "WaitingTest", "", "", null, false);
    var run =
        new SuiteRun(plan, _ -> maven(), ProgressBoard.plain(print), print, print, Duration.ZERO);

    assertThat(run.run()).isEqualTo(1);
    assertThat(out.toString())
        .containsSubsequence(
            "STOOD STILL no test class has ended for 0 minutes",
            "at WaitingTest.main(",
            "0 passed, 0 failed");
    assertThat(Files.readString(root.resolve("state/test.log")))
        .contains("Its stacks:", "Full thread dump", "at WaitingTest.main(");
  }

  @Test
  void classesThatEnd_andBuilds_areNoStandstill() throws Exception {
    Process process = maven().redirectErrorStream(true).start();
    try {
      while (!Files.exists(root.resolve("begun"))) {
        process.getInputStream().read();
      }
      ProcessHandle jvm = process.toHandle().children().findFirst().orElseThrow();
      var standstill = new Standstill(Duration.ofMinutes(15), root.resolve("test.log"));
      standstill.look(1, true, process.toHandle(), 0);
      standstill.look(1, true, process.toHandle(), 14 * MINUTE);
      standstill.look(2, true, process.toHandle(), 16 * MINUTE);
      standstill.look(2, false, process.toHandle(), 40 * MINUTE);
      standstill.look(2, true, process.toHandle(), 54 * MINUTE);
      assertThat(standstill.findings()).isEmpty();
      assertThat(jvm.isAlive()).isTrue();

      standstill.look(2, true, process.toHandle(), 55 * MINUTE);
      assertThat(standstill.findings()).anyMatch(line -> line.contains("at WaitingTest.main("));
      assertThat(process.waitFor()).isEqualTo(1);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
