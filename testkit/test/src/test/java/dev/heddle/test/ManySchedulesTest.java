// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Many schedules of a program of 50 coroutines: as many courses as runs. How long a hundred
/// thousand take is measured, see the page about simulation.
@Timeout(600)
class ManySchedulesTest {
  @Test
  @Tag("sim-4")
  void twoThousandSchedules_areTwoThousandCourses() {
    assertCourses(2_000);
  }

  @Test
  @Tag("sim-4")
  @Tag("full")
  void hundredThousandSchedules_areAsManyCourses() {
    assertCourses(100_000);
  }

  private static void assertCourses(int seeds) {
    Exploration all =
        Simulation.explore(
            SimulationOptions.defaults().withSeeds(seeds), ManySchedulesTest::fiftyCoroutines);
    assertThat(all.runs()).isEqualTo(seeds);
    assertThat(all.courses()).isEqualTo(seeds);
  }

  private static void fiftyCoroutines() {
    for (int i = 0; i < 50; i++) {
      Heddle.launch(
          "waiter-" + i,
          () -> {
            for (int wait = 0; wait < 6; wait++) {
              Heddle.delay(Duration.ofMillis(1 + wait % 3));
            }
          });
    }
  }
}
