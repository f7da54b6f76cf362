// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class BackoffTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static List<Long> delays(Backoff backoff, int count) {
    List<Long> delays = new ArrayList<>();
    Duration previous = Duration.ZERO;
    for (int retry = 1; retry <= count; retry++) {
      previous = backoff.delay(retry, previous);
      delays.add(previous.toMillis());
    }
    return delays;
  }

  @Test
  void backoff_withoutJitter_growsUpToTheLongest() {
    assertThat(delays(Backoff.constant(SECOND), 3)).containsExactly(1000L, 1000L, 1000L);
    Backoff exponential = Backoff.exponential(SECOND).withMaxDelay(Duration.ofSeconds(5));
    assertThat(delays(exponential, 4)).containsExactly(1000L, 2000L, 4000L, 5000L);
    assertThat(delays(exponential.withFactor(1.5), 5))
        .containsExactly(1000L, 1500L, 2250L, 3375L, 5000L);
    assertThat(exponential.delay(100_000, SECOND)).isEqualTo(Duration.ofSeconds(5));
    assertThat(Backoff.exponential(SECOND).delay(9, SECOND)).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void backoffWithoutADelay_hasNoneAfterManyRetries() {
    Backoff none = Backoff.constant(Duration.ZERO).withFactor(2);
    assertThat(none.delay(100_000, Duration.ZERO)).isZero();
  }

  @Test
  void jitter_takesAtMostItsShareOfTheDelay() {
    Backoff backoff =
        Backoff.constant(Duration.ofNanos(10)).withJitter(0.2).withRandom(new Random(7));
    Set<Long> seen = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      seen.add(backoff.delay(1, Duration.ZERO).toNanos());
    }
    assertThat(seen).containsExactlyInAnyOrder(8L, 9L, 10L);
  }

  @Test
  void fullJitter_isFromZeroToTheDelay() {
    Backoff backoff =
        Backoff.exponential(Duration.ofNanos(2))
            .withMaxDelay(Duration.ofNanos(8))
            .withFullJitter()
            .withRandom(new Random(7));
    for (int retry = 1; retry <= 3; retry++) {
      Set<Long> seen = new HashSet<>();
      for (int i = 0; i < 1_000; i++) {
        seen.add(backoff.delay(retry, Duration.ZERO).toNanos());
      }
      // all of 0 to 2, 0 to 4, and 0 to 8, ends included
      assertThat(seen).hasSize((1 << retry) + 1).contains(0L, 1L << retry);
    }
  }

  @Test
  void decorrelatedJitter_isFromTheFirstDelayToThreeTimesThePreviousWait() {
    Backoff backoff =
        Backoff.exponential(Duration.ofNanos(2))
            .withMaxDelay(Duration.ofNanos(10))
            .withDecorrelatedJitter()
            .withRandom(new Random(7));
    Set<Long> first = new HashSet<>();
    Set<Long> after3 = new HashSet<>();
    Set<Long> after9 = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      first.add(backoff.delay(1, Duration.ZERO).toNanos());
      after3.add(backoff.delay(2, Duration.ofNanos(3)).toNanos());
      after9.add(backoff.delay(3, Duration.ofNanos(9)).toNanos());
    }
    assertThat(first).containsExactlyInAnyOrder(2L, 3L, 4L, 5L, 6L);
    assertThat(after3).containsExactlyInAnyOrder(2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    assertThat(after9).containsExactlyInAnyOrder(2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
  }

  @Test
  void jitter_withTheSameSeed_isTheSame() {
    Backoff full = Backoff.exponential(SECOND).withFullJitter();
    assertThat(delays(full.withRandom(new Random(3)), 20))
        .isEqualTo(delays(full.withRandom(new Random(3)), 20))
        .isNotEqualTo(delays(full.withRandom(new Random(4)), 20));
  }
}
