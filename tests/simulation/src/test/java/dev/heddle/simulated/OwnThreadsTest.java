// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.simulated.own.OwnParts;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Programs of Heddle's own parts that threads use, in a JVM in which these threads can be
/// preempted within Heddle's classes.
///
/// The usual run tries a few seeds, always the same ones. `./heddle test --full` tries
/// `heddle.own.runs` more of each program and search, 2,000 where that is not said.
@Tag("own")
class OwnThreadsTest {
  static final int FULL = Integer.getInteger("heddle.own.runs", 2_000);
  static final long FIRST_OF_FULL = Long.getLong("heddle.own.seed", 1_000_000);

  // a thread that spins until another one goes on would keep its priority: no PCT for workers
  private static final List<Search> WALK = List.of(Search.WALK);

  @Test
  void programsOfThreads_preemptedInHeddlesClasses_keepWhatIsPromised() {
    assertThat(Findings.of(OwnParts.ofThreads(), List.of(Search.WALK), 150).wrong()).isEmpty();
  }

  @Test
  void programsOfProcesses_onTheWorkersOfProduction_keepWhatIsPromised() {
    assertThat(Findings.of(OwnParts.ofWorkers(), WALK, 30).wrong()).isEmpty();
  }

  @Test
  @Tag("full")
  void programs_withManySeeds_keepWhatIsPromised() {
    assertThat(Findings.of(OwnParts.ofThreads(), WALK, FIRST_OF_FULL, FULL).wrong()).isEmpty();
    assertThat(Findings.of(OwnParts.ofWorkers(), WALK, FIRST_OF_FULL, FULL).wrong()).isEmpty();
  }
}
