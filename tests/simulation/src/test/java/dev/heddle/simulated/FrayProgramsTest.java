// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.simulated.fray.FrayFailing;
import dev.heddle.simulated.fray.FrayPassing;
import dev.heddle.simulated.program.Program;
import dev.heddle.simulated.program.Program.Expected;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The programs of Fray's integration tests: those that fail must be found, all of them, and those
/// that pass must pass with every seed, but those whose row explains why not.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FrayProgramsTest {
  private static final List<Program> FAILING = FrayFailing.ALL;
  private static final List<Program> PASSING =
      FrayPassing.ALL.stream().filter(p -> p.expected() == Expected.PASSES).toList();

  @Test
  void failing_areAllFound() {
    Findings findings =
        Findings.of(FAILING, List.of(Search.WALK, Search.PCT_3, Search.WAKE_UPS), 300);
    IO.println(findings);
    assertThat(findings.wrong()).as("%s", findings).isEmpty();
    assertThat(findings.found()).as("%s", findings).hasSize(FAILING.size());
  }

  @Test
  void passing_passWithEverySeed() {
    assertPass(20);
  }

  @Test
  @Tag("full")
  void passing_passWithManySeeds() {
    assertPass(2_000);
  }

  private static void assertPass(int seeds) {
    for (Search search : List.of(Search.WALK, Search.PCT_3)) {
      Findings findings = Findings.of(PASSING, List.of(search), seeds);
      IO.println(findings);
      assertThat(findings.wrong()).as("%s", findings).isEmpty();
    }
  }

  /// A row that explains a failure which does not happen explains nothing.
  @Test
  void explained_fail() {
    List<Program> explained =
        FrayPassing.ALL.stream().filter(p -> p.expected() == Expected.EXPLAINED).toList();
    Findings findings = Findings.of(explained, List.of(Search.WALK), 1);
    IO.println(findings);
    assertThat(findings.found()).as("%s", findings).hasSize(explained.size());
  }
}
