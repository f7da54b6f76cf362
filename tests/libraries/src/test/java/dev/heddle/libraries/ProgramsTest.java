// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Servers of others that are started for tests.
@Tag("T14.6")
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProgramsTest {
  /// One that says something, and then nothing for as long as its input is open.
  public static final class Silent {
    private Silent() {}

    public static void main(String[] args) throws IOException {
      System.out.println(args[0]);
      System.in.read();
    }
  }

  private static Process start(String word) throws Exception {
    URI classes = Silent.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            Path.of(classes).toString(),
            Silent.class.getName(),
            word)
        .start();
  }

  @Test
  void programThatNeverSaysThatItIsReady_isEnded() throws Exception {
    Process process = start("starting");
    assertThat(Programs.awaitLine(process, "ready", Duration.ofMillis(1)))
        .doesNotContain("ready")
        .endsWith("and it was ended, after PT0.001S");
    assertThat(process.waitFor()).isNotZero();
  }

  @Test
  void programThatHasEnded_isNotWaitedFor() throws Exception {
    Process process = start("not yet");
    process.getOutputStream().close();
    assertThat(Programs.awaitLine(process, "ready")).isEqualTo("not yet\nand it has ended");
  }

  @Test
  void programThatIsReady_goesOn() throws Exception {
    Process process = start("ready");
    try {
      assertThat(Programs.awaitLine(process, "ready")).isEqualTo("ready");
      assertThat(process.isAlive()).isTrue();
    } finally {
      process.destroyForcibly();
    }
  }
}
