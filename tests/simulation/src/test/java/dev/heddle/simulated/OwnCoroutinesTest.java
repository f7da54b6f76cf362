// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.simulated.own.OwnParts;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Programs of Heddle's own parts that coroutines use, which run alone between two waits.
class OwnCoroutinesTest {
  private static final List<Search> SEARCHES = List.of(Search.WALK, Search.PCT_3);

  @Test
  void programsOfCoroutines_inAnyOrder_keepWhatIsPromised() {
    assertThat(Findings.of(OwnParts.ofCoroutines(), SEARCHES, 150).wrong()).isEmpty();
  }

  @Test
  @Tag("full")
  void programs_withManySeeds_keepWhatIsPromised() {
    assertThat(
            Findings.of(
                    OwnParts.ofCoroutines(),
                    SEARCHES,
                    OwnThreadsTest.FIRST_OF_FULL,
                    OwnThreadsTest.FULL)
                .wrong())
        .isEmpty();
  }
}
