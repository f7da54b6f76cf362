// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.simulated.sct.SctBench;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// SCTBench: 25 of its 28 programs must be found.
///
/// Three are hard to find: one of 50 or 100 threads must lose the processor between two writes, and
/// the checker must run before all the rest.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SctBenchTest {
  private static final int ENOUGH = 25;

  private static final List<Search> SEARCHES = List.of(Search.WALK, Search.PCT_3, Search.PCT_15);

  @Test
  void atLeast25Of28_areFound() {
    assertFound(1_000);
  }

  @Test
  @Tag("full")
  void atLeast25Of28_areFoundWithManySeeds() {
    assertFound(5_000);
  }

  private static void assertFound(int seeds) {
    Findings findings = Findings.of(SctBench.ALL, SEARCHES, seeds);
    IO.println(findings);
    assertThat(findings.wrong()).as("%s", findings).isEmpty();
    assertThat(findings.found()).as("%s", findings).hasSizeGreaterThanOrEqualTo(ENOUGH);
  }
}
