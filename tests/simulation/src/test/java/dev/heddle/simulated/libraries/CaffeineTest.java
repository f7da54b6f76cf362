// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.libraries;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Scheduler;
import dev.heddle.simulated.Simulated;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Caffeine's expiry, by its own ticker and the system's scheduler.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CaffeineTest {
  @Test
  void expireAfterWrite_forgetsAfterItsHour() {
    Duration elapsed =
        Simulated.virtually(() -> {
          Cache<String, String> cache =
              Caffeine.newBuilder().expireAfterWrite(Duration.ofHours(1)).build();
          cache.put("key", "value");
          Thread.sleep(Duration.ofMinutes(59));
          assertThat(cache.getIfPresent("key")).isEqualTo("value");
          Thread.sleep(Duration.ofMinutes(2));
          assertThat(cache.getIfPresent("key")).isNull();
        });
    assertThat(elapsed).isGreaterThanOrEqualTo(Duration.ofMinutes(61));
  }

  @Test
  void expireAfterAccess_keepsWhatIsRead() {
    Simulated.virtually(() -> {
      Cache<String, String> cache =
          Caffeine.newBuilder().expireAfterAccess(Duration.ofHours(1)).build();
      cache.put("key", "value");
      for (int i = 0; i < 24; i++) {
        Thread.sleep(Duration.ofMinutes(59));
        assertThat(cache.getIfPresent("key")).isEqualTo("value");
      }
      Thread.sleep(Duration.ofMinutes(61));
      assertThat(cache.getIfPresent("key")).isNull();
    });
  }

  @Test
  void systemScheduler_removesWithoutAnAccess() {
    Duration elapsed =
        Simulated.virtually(() -> {
          AtomicReference<RemovalCause> why = new AtomicReference<>();
          CountDownLatch removed = new CountDownLatch(1);
          Cache<String, String> cache =
              Caffeine.newBuilder()
                  .expireAfterWrite(Duration.ofHours(1))
                  .scheduler(Scheduler.systemScheduler())
                  .removalListener((String _, String _, RemovalCause cause) -> {
                    why.set(cause);
                    removed.countDown();
                  })
                  .build();
          cache.put("key", "value");
          assertThat(removed.await(2, TimeUnit.HOURS)).isTrue();
          assertThat(why.get()).isEqualTo(RemovalCause.EXPIRED);
        });
    assertThat(elapsed).isBetween(Duration.ofHours(1), Duration.ofHours(2));
  }

  @Test
  void refreshAfterWrite_loadsAgain() {
    Simulated.virtually(() -> {
      AtomicInteger loads = new AtomicInteger();
      LoadingCache<String, Integer> cache =
          Caffeine.newBuilder()
              .refreshAfterWrite(Duration.ofMinutes(10))
              .build(_ -> loads.incrementAndGet());
      assertThat(cache.get("key")).isEqualTo(1);
      Thread.sleep(Duration.ofMinutes(11));
      assertThat(cache.get("key")).isBetween(1, 2); // the old value until the load has ended
      Thread.sleep(Duration.ofSeconds(1));
      assertThat(cache.get("key")).isEqualTo(2);
    });
  }
}
