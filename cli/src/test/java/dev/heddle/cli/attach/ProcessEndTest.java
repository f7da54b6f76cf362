// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.attach.ProcessEnd.Farewell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// How a process is said to have ended.
@Tag("watch-6")
class ProcessEndTest {
  private static final long PID = 4_711;

  @TempDir private Path processes;

  /// @param status as the parent will get it
  private String describe(String state, int status, Farewell farewell) throws IOException {
    Path folder = Files.createDirectories(processes.resolve(Long.toString(PID)));
    String between = " 0".repeat(48);
    Files.writeString(
        folder.resolve("stat"), PID + " (a name) ) " + state + between + " " + status + "\n");
    return ProcessEnd.describe(processes, PID, farewell);
  }

  @ParameterizedTest
  @CsvSource({
    "0, ' with exit code 0'",
    "256, ' with exit code 1'",
    "36608, ' with exit code 143'",
    "9, ', killed by SIGKILL'",
    "139, ', killed by SIGSEGV'", // with a core
    "64, ', killed by signal 64'"
  })
  void statusThatTheSystemStillHas_isSaid_whateverTheJvmSaid(int status, String words)
      throws IOException {
    assertThat(describe("Z", status, Farewell.NONE)).isEqualTo(words);
    assertThat(describe("Z", status, Farewell.SAID)).isEqualTo(words);
  }

  @Test
  void withoutAStatus_isSaidWhatTheJvmSaid() {
    assertThat(ProcessEnd.describe(processes, PID, Farewell.UNKNOWN)).isEmpty();
    assertThat(ProcessEnd.describe(processes, PID, Farewell.NONE)).contains("killed, halted");
    assertThat(ProcessEnd.describe(processes, PID, Farewell.SAID)).startsWith(": it shut down");
  }

  /// Another process may have its number by now.
  @Test
  void processThatRuns_hasNoStatus() throws IOException {
    assertThat(describe("S", 256, Farewell.UNKNOWN)).isEmpty();
  }
}
