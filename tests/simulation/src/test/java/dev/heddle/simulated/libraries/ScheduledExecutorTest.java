// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.libraries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.simulated.Simulated;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The JDK's `ScheduledExecutorService`.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ScheduledExecutorTest {
  @Test
  void fixedRate_keepsTheHoursOfADay() {
    Duration elapsed =
        Simulated.virtually(() -> {
          Instant began = Instant.now();
          List<Duration> ran = new ArrayList<>();
          CountDownLatch day = new CountDownLatch(24);
          try (ScheduledExecutorService executor = Executors.newScheduledThreadPool(2)) {
            ScheduledFuture<?> hourly =
                executor.scheduleAtFixedRate(
                    () -> {
                      ran.add(Duration.between(began, Instant.now()));
                      day.countDown();
                    },
                    1,
                    1,
                    TimeUnit.HOURS);
            day.await();
            hourly.cancel(false);
          }
          for (int hour = 1; hour <= 24; hour++) {
            assertThat(ran.get(hour - 1))
                .isBetween(Duration.ofHours(hour), Duration.ofHours(hour).plusSeconds(1));
          }
        });
    assertThat(elapsed).isGreaterThanOrEqualTo(Duration.ofDays(1));
  }

  @Test
  void fixedDelay_countsFromTheEndOfTheTask() {
    Duration elapsed =
        Simulated.virtually(() -> {
          CountDownLatch ran = new CountDownLatch(3);
          try (ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor()) {
            ScheduledFuture<?> task =
                executor.scheduleWithFixedDelay(
                    () -> {
                      sleepAnHour();
                      ran.countDown();
                    },
                    0,
                    1,
                    TimeUnit.HOURS);
            ran.await();
            task.cancel(false);
          }
        });
    assertThat(elapsed).isBetween(Duration.ofHours(5), Duration.ofHours(6));
  }

  @Test
  void shutdown_awaitsAWeeksTask() {
    Duration elapsed =
        Simulated.virtually(() -> {
          ScheduledExecutorService executor = Executors.newScheduledThreadPool(1);
          ScheduledFuture<String> task = executor.schedule(() -> "done", 7, TimeUnit.DAYS);
          executor.shutdown();
          assertThat(executor.awaitTermination(6, TimeUnit.DAYS)).isFalse();
          assertThat(executor.awaitTermination(2, TimeUnit.DAYS)).isTrue();
          assertThat(task.get()).isEqualTo("done");
        });
    assertThat(elapsed).isBetween(Duration.ofDays(7), Duration.ofDays(8));
  }

  private static void sleepAnHour() {
    try {
      Thread.sleep(Duration.ofHours(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
