// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static dev.heddle.libraries.Watched.assertOnlyTheyWait;
import static dev.heddle.libraries.Watched.assertUndisturbed;
import static dev.heddle.libraries.Watched.crowd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Promise;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.ThreadPoolBulkhead;
import io.github.resilience4j.bulkhead.ThreadPoolBulkheadConfig;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import io.github.resilience4j.timelimiter.TimeLimiter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Resilience4j: it sleeps between tries and before permits, and waits for semaphores and futures.
@Tag("T16")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Resilience4jTest {
  private static final Duration A_DAY = Duration.ofDays(1);

  /// One permit a day: whoever comes second sleeps.
  private static RateLimiter onePermitADay(Duration patience) {
    return RateLimiter.of(
        "daily",
        RateLimiterConfig.custom()
            .limitForPeriod(1)
            .limitRefreshPeriod(A_DAY)
            .timeoutDuration(patience)
            .build());
  }

  @Test
  void rateLimiter_thatHasNoPermitLeft_suspendsOnlyWhoWaitsForOne() {
    Watched.run(() -> {
      RateLimiter limiter = onePermitADay(A_DAY.multipliedBy(1_000));
      limiter.executeCallable(() -> 1);
      Heddle.supervise(scope -> {
        List<Coroutine<Integer>> waiting =
            Stream.generate(() -> scope.spawn(() -> limiter.executeCallable(() -> 1)))
                .limit(100)
                .toList();
        assertOnlyTheyWait(waiting, () -> waiting.stream().allMatch(Coroutine::isSuspended));
        waiting.forEach(coroutine -> coroutine.cancel("seen enough"));
        for (Coroutine<Integer> coroutine : waiting) {
          assertThatThrownBy(coroutine::await).isInstanceOf(Throwable.class);
        }
        return null;
      });
      assertUndisturbed();
    });
  }

  @Test
  void rateLimiter_withoutPatience_refuses() {
    Watched.run(() -> {
      RateLimiter limiter = onePermitADay(Duration.ofMillis(1));
      limiter.executeCallable(() -> 1);
      assertThatThrownBy(() -> limiter.executeCallable(() -> 1))
          .isInstanceOf(RequestNotPermitted.class);
    });
  }

  @Test
  void bulkheadOf5_entered100Times_letsInFiveAtATimeAndSuspendsTheOthers() {
    Watched.run(() -> {
      Bulkhead bulkhead =
          Bulkhead.of(
              "five", BulkheadConfig.custom().maxConcurrentCalls(5).maxWaitDuration(A_DAY).build());
      Promise<Boolean> released = Heddle.promise("released");
      int[] inside = {0, 0};
      List<Coroutine<Integer>> calls =
          crowd(
              100,
              () ->
                  bulkhead.executeCallable(() -> {
                    inside[1] = Math.max(inside[1], ++inside[0]);
                    released.future().await();
                    inside[0]--;
                    return 1;
                  }));
      assertOnlyTheyWait(calls, () -> calls.stream().allMatch(Coroutine::isSuspended));
      assertThat(inside[0]).isEqualTo(5);
      released.complete(true);
      assertThat(calls.stream().mapToInt(Coroutine::await).sum()).isEqualTo(100);
      assertThat(inside[1]).isEqualTo(5);
      assertThat(bulkhead.getMetrics().getAvailableConcurrentCalls()).isEqualTo(5);
    });
  }

  @Test
  void bulkhead_aroundACallThatIsCancelled_givesItsPermitBack() {
    Watched.run(() -> {
      Bulkhead bulkhead = Bulkhead.ofDefaults("any");
      int free = bulkhead.getMetrics().getAvailableConcurrentCalls();
      assertThatThrownBy(() ->
              Heddle.withTimeout(
                  Duration.ofMillis(10), () -> bulkhead.executeCallable(() -> sleepADay())))
          .isInstanceOf(DeadlineException.class);
      assertThat(bulkhead.getMetrics().getAvailableConcurrentCalls()).isEqualTo(free);
      assertUndisturbed();
    });
  }

  private static int sleepADay() throws InterruptedException {
    Thread.sleep(A_DAY);
    return 1;
  }

  @Test
  void retries_of100CoroutinesAtOnce_tryAsOftenAsTheyShould() {
    Watched.run(() -> {
      Retry retry =
          Retry.of(
              "four",
              RetryConfig.custom().maxAttempts(4).waitDuration(Duration.ofMillis(5)).build());
      List<Coroutine<Integer>> calls =
          crowd(
              100,
              () -> {
                int[] tries = {0};
                return retry.executeCallable(() -> {
                  if (++tries[0] < 4) {
                    throw new IOException("try " + tries[0]);
                  }
                  return tries[0];
                });
              });
      assertThat(calls).extracting(Coroutine::await).containsOnly(4);
    });
  }

  /// Retry takes the cut of its call for a failure of it, and tries again.
  @Test
  void within_aroundARetryOfACallThatSleeps_endsWithItsDeadline() {
    Watched.run(() -> {
      Retry retry =
          Retry.of(
              "three",
              RetryConfig.custom().maxAttempts(3).waitDuration(Duration.ofMillis(5)).build());
      int[] tries = {0};
      assertThatThrownBy(() ->
              Heddle.withTimeout(
                  Duration.ofMillis(50),
                  () ->
                      retry.executeCallable(() -> {
                        if (++tries[0] == 1) {
                          Thread.sleep(A_DAY);
                        }
                        return tries[0];
                      })))
          .isInstanceOf(DeadlineException.class);
      assertThat(tries[0]).isEqualTo(2);
      assertUndisturbed();
    });
  }

  /// What comes out is the failure of the last try.
  @Test
  void within_aroundTheWaitBetweenTwoTries_cutsIt() {
    Watched.run(() -> {
      Retry retry =
          Retry.of("daily", RetryConfig.custom().maxAttempts(4).waitDuration(A_DAY).build());
      Coroutine<?> main = Heddle.current();
      int[] tries = {0};
      assertThatThrownBy(() ->
              Watched.cutWhen(
                  main::isSuspended,
                  () ->
                      retry.executeCallable(() -> {
                        tries[0]++;
                        throw new IOException("refused");
                      })))
          .isInstanceOf(CoroutineException.class)
          .hasCauseInstanceOf(IOException.class);
      assertThat(tries[0]).isEqualTo(1);
      assertUndisturbed();
    });
  }

  @Test
  void timeLimiter_overAFuture_endsOnlyTheCoroutinesWait() {
    Watched.run(() -> {
      TimeLimiter limiter = TimeLimiter.of(Duration.ofMillis(10));
      List<Coroutine<String>> calls =
          crowd(
              20,
              () -> {
                try {
                  return limiter.executeFutureSupplier(() -> new CompletableFuture<String>());
                } catch (TimeoutException _) {
                  return "timed out";
                }
              });
      assertThat(calls).extracting(Coroutine::await).containsOnly("timed out");
    });
  }

  @Test
  void threadPoolBulkhead_joinedBy50Coroutines_suspendsOnlyThem() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    ThreadPoolBulkhead pool =
        ThreadPoolBulkhead.of(
            "threads",
            ThreadPoolBulkheadConfig.custom()
                .coreThreadPoolSize(2)
                .maxThreadPoolSize(2)
                .queueCapacity(100)
                .build());
    try {
      Watched.run(() -> {
        List<Coroutine<Integer>> calls =
            crowd(
                50,
                () ->
                    pool.executeCallable(
                            () -> {
                              released.await();
                              return 1;
                            })
                        .toCompletableFuture()
                        .get());
        assertOnlyTheyWait(calls, () -> calls.stream().allMatch(Coroutine::isSuspended));
        released.countDown();
        assertThat(calls.stream().mapToInt(Coroutine::await).sum()).isEqualTo(50);
      });
    } finally {
      pool.close();
    }
  }
}
