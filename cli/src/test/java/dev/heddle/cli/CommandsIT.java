// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.doctor.Recipe;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The other commands, as real processes.
class CommandsIT {
  @TempDir Path folder;
  private final Checkout checkout = Checkout.ready();

  @Test
  void help_namesEveryCommand() throws Exception {
    Outcome outcome = checkout.heddle("--help");

    assertThat(outcome.code()).isZero();
    assertThat(outcome.out())
        .contains(
            "run",
            "ps",
            "dump",
            "top",
            "cluster",
            "doctor",
            "test",
            "bench",
            "soak",
            "70 deadlock");
  }

  @Test
  void wrongUsage_exits2_onStandardError() throws Exception {
    Outcome outcome = checkout.heddle("nonsense");

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).startsWith("heddle: ").contains("Usage");
  }

  @Test
  void doctor_underTheLauncher_isContent() throws Exception {
    Outcome outcome = checkout.heddle("doctor");

    assertThat(outcome.code()).as(outcome.out()).isZero();
    assertThat(outcome.out())
        .contains(
            "JDK",
            "scheduler hook",
            "lock owners",
            "driver jdk",
            "io_uring",
            "open files",
            "stack",
            "Chromium")
        .contains("Loops can run here.");
    for (Recipe recipe : Recipe.values()) {
      assertThat(outcome.out()).contains(recipe.lines().indent(6));
    }
  }

  @Test
  void doctor_withoutTheHook_exits1_withTheFlag() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Outcome outcome =
        Outcome.of(
            List.of(
                java,
                "-cp",
                System.getProperty("heddle.jar"),
                "dev.heddle.cli.HeddleCommand",
                "doctor"),
            checkout.root(),
            Map.of(),
            "");

    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.out())
        .containsPattern("FAIL +scheduler hook .*--add-opens java.base/java.lang=ALL-UNNAMED");
  }

  @Test
  void test_options_reachMaven_andItsWordsTheLog() throws Exception {
    Path maven = checkout.script("fake-mvn", "echo \"$@\"; exit 1");
    Outcome outcome =
        checkout.heddle(Map.of("HEDDLE_MVN", maven.toString()), "test", "--seed", "42", "--full");

    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.out()).endsWith("0 passed, 0 failed, 0 skipped\n");
    assertThat(checkout.root().resolve(".heddle/test.log"))
        .content()
        .contains("clean", "verify", "-Dheddle.seed=42", "-Dtests.excluded=none");
  }

  @Test
  void test_scheduleWithoutAName_isWrongUsage() throws Exception {
    Outcome outcome = checkout.heddle(Map.of(), "test", "--seed", "3", "--schedule", "0:1");

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).contains("--schedule belongs to one test");
  }

  @Test
  void test_wrapperCannotDownload_systemMavenRuns() throws Exception {
    var own = Checkout.in(folder);
    own.heddle(Map.of("HEDDLE_JAVA_HOME", own.fakeJdk("jdk", "25.0.3").toString()), "--version");
    own.caches("none");
    own.wrapper("exit 1");
    own.script("tools/mvn", "echo system \"$@\"");
    String path = own.root().resolve("tools") + ":" + System.getenv("PATH");
    own.heddle(Map.of("PATH", path, "HEDDLE_BUILD", "off"), "test");

    assertThat(own.root().resolve(".heddle/test.log"))
        .content()
        .startsWith("system -B")
        .contains("verify");
  }
}
