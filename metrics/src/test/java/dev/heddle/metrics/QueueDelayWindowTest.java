// SPDX-License-Identifier: Apache-2.0
package dev.heddle.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.QueueDelay;
import io.micrometer.core.instrument.MockClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// In the virtual time of a clock of Micrometer's.
@Tag("proc-269")
class QueueDelayWindowTest {
  private final MockClock clock = new MockClock();
  private final List<Long> counts = new ArrayList<>(QueueDelay.NONE.counts());
  private final QueueDelayWindow window = new QueueDelayWindow(() -> new QueueDelay(counts), clock);

  private void delayed(int bucket, long times) {
    counts.set(bucket, counts.get(bucket) + times);
  }

  private static double micros(long number) {
    return Duration.ofNanos(number * 1_000).toNanos();
  }

  @Test
  void percentile_withoutSamples_isZero() {
    assertThat(window.percentile(0.5)).isZero();
  }

  @Test
  void percentile_isThatOfTheSamplesInTheWindow() {
    delayed(0, 90);
    delayed(10, 10);
    assertThat(window.percentile(0.5)).isEqualTo(micros(1));
    assertThat(window.percentile(0.99)).isEqualTo(micros(1_024));
  }

  @Test
  void sample_leavesTheWindow_afterTwoMinutesAtMost() {
    delayed(10, 100);
    clock.add(Duration.ofSeconds(60));
    assertThat(window.percentile(0.99)).isEqualTo(micros(1_024)); // moves the mark
    delayed(0, 1);
    clock.add(Duration.ofSeconds(59));
    assertThat(window.percentile(0.99)).isEqualTo(micros(1_024));
    clock.add(Duration.ofSeconds(1));
    assertThat(window.percentile(0.99)).isEqualTo(micros(1));
  }

  @Test
  void percentiles_ofOneScrapeAfterALongPause_areOfTheSameTime() {
    delayed(10, 1);
    clock.add(Duration.ofHours(1));
    assertThat(window.percentile(0.5)).isEqualTo(micros(1_024));
    assertThat(window.percentile(0.99)).isEqualTo(micros(1_024));
  }
}
