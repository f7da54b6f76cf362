// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("trap-15")
@Tag("once")
class DeadlineTest {
  @Test
  void deadline_afterADelay_isNotBeforeIt() {
    long before = System.nanoTime();
    Deadline deadline = Deadline.after(Duration.ofSeconds(1));
    assertThat(deadline.nanoTime() - before).isGreaterThanOrEqualTo(1_000_000_000L);
    assertThat(deadline.isNever()).isFalse();
  }

  @Test
  void deadline_afterNothingOrLess_isOver() {
    assertThat(Deadline.after(Duration.ZERO).remaining()).isZero();
    assertThat(Deadline.after(Duration.ofSeconds(-1)).remaining()).isZero();
  }

  @Test
  void deadline_beyondTheScale_neverComes() {
    assertThat(Deadline.after(Duration.ofDays(365 * 200)).isNever()).isTrue();
    assertThat(Deadline.after(Duration.ofSeconds(Long.MAX_VALUE)).isNever()).isTrue();
    assertThat(Deadline.never().isNever()).isTrue();
    assertThat(Deadline.never().remaining()).isPositive();
  }

  @Test
  void deadline_ofAHundredYears_comesInAHundredYears() {
    Duration century = Duration.ofDays(36_500);
    assertThat(Deadline.after(century).isNever()).isFalse();
    assertThat(Deadline.after(century).remaining()).isLessThanOrEqualTo(century).isPositive();
  }
}
