// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.libraries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.simulated.Simulated;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import io.github.resilience4j.timelimiter.TimeLimiter;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Resilience4j's circuit breaker, time limiter and retry.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Resilience4jTest {
  private static CircuitBreakerConfig.Builder breaker() {
    return CircuitBreakerConfig.custom()
        .minimumNumberOfCalls(4)
        .slidingWindowSize(4)
        .permittedNumberOfCallsInHalfOpenState(1)
        .waitDurationInOpenState(Duration.ofHours(1));
  }

  private static void failFourTimes(CircuitBreaker breaker) {
    for (int i = 0; i < 4; i++) {
      assertThatThrownBy(() ->
              breaker.executeCallable(() -> {
                throw new IllegalStateException("down");
              }))
          .hasMessage("down");
    }
  }

  @Test
  void circuitBreaker_permitsACallAfterItsHour() {
    Duration elapsed =
        Simulated.virtually(() -> {
          CircuitBreaker breaker = CircuitBreaker.of("calls", breaker().build());
          failFourTimes(breaker);
          Thread.sleep(Duration.ofMinutes(59));
          assertThatThrownBy(() -> breaker.executeCallable(() -> "up"))
              .isInstanceOf(CallNotPermittedException.class);
          Thread.sleep(Duration.ofMinutes(2));
          assertThat(breaker.executeCallable(() -> "up")).isEqualTo("up");
          assertThat(breaker.getState()).isEqualTo(State.CLOSED);
        });
    assertThat(elapsed).isGreaterThanOrEqualTo(Duration.ofMinutes(61));
  }

  static final class HalfOpensByItself implements Action {
    @Override
    public void run() throws InterruptedException {
      CircuitBreaker breaker =
          CircuitBreaker.of(
              "calls", breaker().automaticTransitionFromOpenToHalfOpenEnabled(true).build());
      CountDownLatch halfOpen = new CountDownLatch(1);
      breaker
          .getEventPublisher()
          .onStateTransition(event -> {
            if (event.getStateTransition().getToState() == State.HALF_OPEN) {
              halfOpen.countDown();
            }
          });
      failFourTimes(breaker);
      assertThat(halfOpen.await(2, TimeUnit.HOURS)).isTrue();
    }
  }

  /// By the one scheduler that the library has, in a static field.
  @Test
  void circuitBreaker_halfOpensByItself() {
    Duration elapsed = Simulated.virtuallyAnew(new HalfOpensByItself(), "io.github.resilience4j");
    assertThat(elapsed).isBetween(Duration.ofHours(1), Duration.ofHours(2));
  }

  @Test
  void timeLimiter_givesUpAfterItsMinute_andCancels() {
    Duration elapsed =
        Simulated.virtually(() -> {
          TimeLimiter limiter = TimeLimiter.of(Duration.ofMinutes(1));
          CountDownLatch cancelled = new CountDownLatch(1);
          try (ExecutorService pool = Executors.newSingleThreadExecutor()) {
            assertThatThrownBy(() ->
                    limiter.executeFutureSupplier(() -> pool.submit(() -> sleepADay(cancelled))))
                .isInstanceOf(TimeoutException.class);
            assertThat(cancelled.await(1, TimeUnit.MINUTES)).isTrue();
          }
        });
    assertThat(elapsed).isBetween(Duration.ofMinutes(1), Duration.ofMinutes(2));
  }

  private static void sleepADay(CountDownLatch cancelled) {
    try {
      Thread.sleep(Duration.ofDays(1));
    } catch (InterruptedException e) {
      cancelled.countDown();
    }
  }

  @Test
  void retry_waitsBetweenAttempts() {
    Duration elapsed =
        Simulated.virtually(() -> {
          RetryConfig config =
              RetryConfig.custom().maxAttempts(4).waitDuration(Duration.ofHours(1)).build();
          AtomicInteger attempts = new AtomicInteger();
          String answer =
              Retry.of("calls", config)
                  .executeCallable(() -> {
                    if (attempts.incrementAndGet() < 4) {
                      throw new IllegalStateException("down");
                    }
                    return "up";
                  });
          assertThat(answer).isEqualTo("up");
        });
    assertThat(elapsed).isBetween(Duration.ofHours(3), Duration.ofHours(4));
  }
}
