// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The verdicts in what jcstress prints.
class StressReportTest {
  private static final String OK = "........... [OK] dev.heddle.FooStress.Real\n";

  private static String counts(int planned, int passed, int failed, int soft, int hard) {
    return "(Results: %d planned; %d passed, %d failed, %d soft errs, %d hard errs)\n"
        .formatted(planned, passed, failed, soft, hard);
  }

  @Test
  void run_inWhichAllPassed_hasNothingElse() {
    StressReport report =
        new StressReport(counts(2, 1, 0, 0, 0) + OK + "\n" + counts(2, 2, 0, 0, 0) + OK);
    assertThat(report.otherThan("OK")).isEmpty();
    assertThat(report.tests("OK")).containsExactly("dev.heddle.FooStress.Real");
    assertThat(report.tests("FAILED")).isEmpty();
  }

  @Test
  void failure_isOther_unlessItIsExpected() {
    StressReport report =
        new StressReport(
            OK + "....... [FAILED] dev.heddle.FooStress.Weak\n" + counts(2, 1, 1, 0, 0));
    assertThat(report.otherThan("OK"))
        .containsExactly(
            "[FAILED] dev.heddle.FooStress.Weak", counts(2, 1, 1, 0, 0).stripTrailing());
    assertThat(report.otherThan("OK", "FAILED")).isEmpty();
    assertThat(report.tests("FAILED")).containsExactly("dev.heddle.FooStress.Weak");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ERROR", "VM ERROR", "TIMEOUT", "SKIPPED", "API MISMATCH", "TEST_ERROR"})
  void stateThatIsNeitherAPassNorAFailure_isOther(String state) {
    String verdict = "[" + state + "] dev.heddle.FooStress.Real";
    StressReport report = new StressReport("..... " + verdict + "\n" + counts(1, 1, 0, 0, 0));
    assertThat(report.otherThan("OK", "FAILED")).containsExactly(verdict);
  }

  @Test
  void errors_thatHaveNoVerdict_areOther() {
    String soft = counts(2, 1, 0, 1, 0);
    String hard = counts(2, 1, 0, 0, 1);
    assertThat(new StressReport(OK + soft).otherThan("OK")).containsExactly(soft.stripTrailing());
    assertThat(new StressReport(OK + hard).otherThan("OK")).containsExactly(hard.stripTrailing());
  }

  @Test
  void run_thatHasNotEnded_isOther() {
    assertThat(new StressReport(OK).otherThan("OK"))
        .containsExactly("jcstress has not counted its results");
    String half = counts(2, 1, 0, 0, 0);
    assertThat(new StressReport(OK + half).otherThan("OK")).containsExactly(half.stripTrailing());
  }
}
