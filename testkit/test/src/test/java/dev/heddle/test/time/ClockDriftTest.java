// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Clocks that are wrong.
@Tag("sim-33")
class ClockDriftTest {
  private static final long CENTURY = 3_155_760_000_000_000_000L; // nanoseconds

  @Test
  void truth_isTheFirstTimeAtWhichTheClockShowsIt() {
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      int rate = random.nextInt(-500_000, 1_000_001);
      ClockDrift drift = new ClockDrift(random.nextLong(-CENTURY / 4, CENTURY / 4), rate);
      long shown = drift.local(random.nextLong(CENTURY / 2));
      long truth = drift.truth(shown);
      assertThat(drift.local(truth)).isGreaterThanOrEqualTo(shown);
      assertThat(drift.local(truth - 1)).isLessThan(shown);
    }
  }

  @Test
  void clock_neverGoesBackwards() {
    ClockDrift slow = new ClockDrift(0, -499_999);
    for (long time = 1; time < 10_000; time++) {
      assertThat(slow.local(time)).isGreaterThanOrEqualTo(slow.local(time - 1));
    }
  }

  @Test
  void rateOutOfRange_isRefused() {
    assertThatThrownBy(() -> new ClockDrift(0, 1_000_001)).hasMessageContaining("1000001");
    assertThatThrownBy(() -> new ClockDrift(0, -500_001)).hasMessageContaining("-500001");
  }
}
