// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("watch-6")
class JavaProcessTest {
  /// The console ended with "process N has ended", where N was none of those that it watched.
  @Test
  void jvmThatEndsDuringTheScan_isNotListed() throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Process ended =
        new ProcessBuilder(java.toString(), "--version")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    ended.waitFor();
    assertThat(JavaProcess.running(List.of(ended.pid()))).isEmpty();
  }
}
