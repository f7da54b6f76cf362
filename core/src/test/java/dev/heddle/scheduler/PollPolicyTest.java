// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How often the clock is read, by loops that sleep after a handful of dispatches; on a clock of
/// its own.
@Tag("T15")
class PollPolicyTest {
  private static final long SHORT = Duration.ofNanos(3_000).toNanos();
  private static final long LONG = Duration.ofMillis(5).toNanos();
  private static final long SLEEP = Duration.ofMillis(1).toNanos();

  private long time;
  private int reads;
  private long unread; // since the last read, asleep or not
  private long longestUnread;
  private long dispatched;
  private long attentionAt;
  private final PollPolicy pollPolicy = new PollPolicy(this::read, new StillDriver());

  private long read() {
    reads++;
    unread = 0;
    return time;
  }

  /// So many coroutines run, then the loop sleeps.
  private void burst(int dispatches, long each) {
    for (int i = 0; i < dispatches; i++) {
      dispatched++;
      if (dispatched >= attentionAt) {
        pollPolicy.check(dispatched, dispatches - i);
        attentionAt = pollPolicy.nextCheck();
      }
      time += each;
      unread += each;
      longestUnread = Math.max(longestUnread, unread);
    }
    pollPolicy.beforeIdle(dispatched, false);
    time += SLEEP;
    pollPolicy.afterSleep(dispatched);
    attentionAt = pollPolicy.nextCheck();
  }

  private void bursts(int count, int dispatches, long each) {
    reads = 0;
    longestUnread = 0;
    for (int i = 0; i < count; i++) {
      burst(dispatches, each);
    }
  }

  @Test
  void shortDispatches_fewBetweenTwoSleeps_costLittleMoreThanOneReadASleep() {
    bursts(100, 5, SHORT);
    bursts(1_000, 5, SHORT);
    assertThat(reads).isBetween(1_000, 1_400);
  }

  @Test
  void longDispatches_afterShortOnes_areSeenAfterTwoStridesAtMost() {
    for (int size = 1; size <= 40; size++) {
      bursts(100, size, SHORT);
      bursts(40, size, LONG); // they are noticed in these
      assertThat(longestUnread).as("bursts of %s", size).isLessThanOrEqualTo(31 * LONG);
      bursts(1_000, size, LONG);
      assertThat(longestUnread).as("bursts of %s", size).isLessThanOrEqualTo(LONG);
    }
  }

  @Test
  void dispatchesOfNinetyMicroseconds_oneBetweenTwoSleeps_doNotMakeALongStride() {
    bursts(1_000, 1, 30 * SHORT);
    burst(16, LONG);
    assertThat(longestUnread).isLessThanOrEqualTo(4 * LONG);
  }
}
