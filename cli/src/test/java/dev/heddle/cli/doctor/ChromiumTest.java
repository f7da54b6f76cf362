// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.observe.PlatformReport;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the doctor says of the browser of the tests.
@Tag("once")
class ChromiumTest {
  private static final String REQUIRED = "required";

  @TempDir Path first;
  @TempDir Path second;

  private Map<String, String> path(String required) {
    return Map.of("PATH", first + File.pathSeparator + second, Chromium.REQUIRED, required);
  }

  @Test
  void chromium_isTheFirstOneOnThePath() throws Exception {
    assertThat(Chromium.find(path(""))).isEmpty();
    Files.createDirectory(first.resolve("chromium"));
    Path program = Files.createFile(second.resolve("google-chrome"));
    assertThat(program.toFile().setExecutable(true)).isTrue();

    assertThat(Chromium.find(path(""))).contains(program);
    assertThat(Chromium.finding(path("")).grade()).isEqualTo(Finding.Grade.OK);
    assertThat(Chromium.finding(path(REQUIRED)).text()).startsWith(program.toString());
  }

  /// Users of a jar were told of a browser that only Heddle's own tests need.
  @Test
  void chromium_isAFinding_onlyWhereTheTestsCanBeRun() {
    PlatformReport report = PlatformReport.probe();
    assertThat(Checkup.of(report, true)).extracting(Finding::subject).contains("Chromium");
    assertThat(Checkup.of(report, false)).extracting(Finding::subject).doesNotContain("Chromium");
  }

  @Test
  void chromiumThatIsMissing_isANote_andAWarningWhereItIsRequired() {
    assertThat(Chromium.isRequired(path(""))).isFalse();
    assertThat(Chromium.isRequired(Map.of())).isFalse();
    assertThat(Chromium.isRequired(path(REQUIRED))).isTrue();
    assertThat(Chromium.finding(path("")).grade()).isEqualTo(Finding.Grade.NOTE);
    assertThat(Chromium.finding(path("")).text()).contains("skips", "HEDDLE_BROWSER=required");
    assertThat(Chromium.finding(path(REQUIRED)).grade()).isEqualTo(Finding.Grade.WARNING);
    assertThat(Chromium.finding(path(REQUIRED)).text()).contains("fail", "install");
  }
}
