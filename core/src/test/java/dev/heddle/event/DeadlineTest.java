// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  @Tag("loop-53")
  void deadline_afterNothingOrLess_isRefused(long seconds) {
    assertThatThrownBy(() -> Deadline.after(Duration.ofSeconds(seconds)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("positive");
  }

  @Test
  @Tag("loop-53")
  void deadline_isAskedForAndNotConstructed() {
    assertThat(Deadline.class.getConstructors()).isEmpty();
  }

  @Test
  @Tag("loop-53")
  void limits_ofNothingOrLess_areRefusedAndLeaveNothingBehind() {
    Heddle.run(() -> {
      assertThatThrownBy(() -> Heddle.withTimeout(Duration.ZERO, () -> {}))
          .isInstanceOf(IllegalArgumentException.class);
      Heddle.scope(s -> {
        assertThatThrownBy(() -> s.cancelAfter(Duration.ZERO))
            .isInstanceOf(IllegalArgumentException.class);
        return null;
      });
    });
  }

  @Test
  @Tag("loop-53")
  void deadline_thatBoundedWaits_leavesNoTimerAndBoundsFurtherOnes() {
    Heddle.run(() -> {
      Deadline deadline = Deadline.after(Duration.ofDays(1));
      Coroutine<String> quick =
          Heddle.spawn(() -> {
            Heddle.yieldNow();
            return "in time";
          });
      assertThat(quick.await(deadline)).isEqualTo("in time");
      Coroutine<?> slow =
          Heddle.spawn(() -> {
            Heddle.delay(Duration.ofDays(2));
            return null;
          });
      Coroutine<?> waiting = Heddle.spawn(() -> catchThrowable(() -> slow.await(deadline)));
      Heddle.yieldNow();
      slow.cancel("enough");
      slow.cancel("enough, again");
      assertThat(waiting.await()).isInstanceOf(Cancellation.class);
      assertThat(slow.isDone()).isTrue();
      assertThat(slow.isCancelled()).isTrue();
      assertThat(Heddle.counters().timers()).isZero();
    });
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
