// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static dev.heddle.libraries.Watched.assertOnlyTheyWait;
import static dev.heddle.libraries.Watched.assertUndisturbed;
import static dev.heddle.libraries.Watched.crowd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.failsafe.Bulkhead;
import dev.failsafe.Failsafe;
import dev.failsafe.RateLimiter;
import dev.failsafe.RetryPolicy;
import dev.failsafe.Timeout;
import dev.failsafe.TimeoutExceededException;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Promise;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Failsafe: it sleeps, waits for permits, and ends what takes too long by an interrupt that comes
/// from a thread of its own.
@Tag("T16")
@org.junit.jupiter.api.Timeout(
    value = 60,
    threadMode = org.junit.jupiter.api.Timeout.ThreadMode.SEPARATE_THREAD)
class FailsafeTest {
  private static final Duration A_DAY = Duration.ofDays(1);

  @Test
  void retries_of100CoroutinesAtOnce_tryAsOftenAsTheyShould() {
    Watched.run(() -> {
      RetryPolicy<Object> retry =
          RetryPolicy.builder().withDelay(Duration.ofMillis(5)).withMaxRetries(5).build();
      List<Coroutine<Integer>> calls =
          crowd(
              100,
              () -> {
                int[] tries = {0};
                return Failsafe.with(retry)
                    .get(() -> {
                      if (++tries[0] < 4) {
                        throw new IllegalStateException("try " + tries[0]);
                      }
                      return tries[0];
                    });
              });
      assertThat(calls).extracting(Coroutine::await).containsOnly(4);
    });
  }

  @ParameterizedTest
  @EnumSource
  void timeoutWithInterrupt_ofAnyWait_cutsIt(Wait wait) {
    Watched.run(() -> {
      Timeout<Object> timeout = Timeout.builder(Duration.ofMillis(20)).withInterrupt().build();
      List<Coroutine<String>> calls =
          crowd(
              20,
              () -> {
                assertThatThrownBy(() -> Failsafe.with(timeout).run(wait::run))
                    .isInstanceOf(TimeoutExceededException.class);
                assertUndisturbed();
                return "timed out";
              });
      assertThat(calls).extracting(Coroutine::await).containsOnly("timed out");
    });
  }

  @Test
  void bulkheadOf3_entered60Times_letsInThreeAtATimeAndSuspendsTheOthers() {
    Watched.run(() -> {
      Bulkhead<Object> bulkhead = Bulkhead.builder(3).withMaxWaitTime(A_DAY).build();
      Promise<Boolean> released = Heddle.promise("released");
      int[] inside = {0, 0};
      List<Coroutine<Integer>> calls =
          crowd(
              60,
              () ->
                  Failsafe.with(bulkhead)
                      .get(() -> {
                        inside[1] = Math.max(inside[1], ++inside[0]);
                        released.future().await();
                        inside[0]--;
                        return 1;
                      }));
      assertOnlyTheyWait(calls, () -> calls.stream().allMatch(Coroutine::isSuspended));
      released.complete(true);
      assertThat(calls.stream().mapToInt(Coroutine::await).sum()).isEqualTo(60);
      assertThat(inside[1]).isEqualTo(3);
    });
  }

  @Test
  void rateLimiter_thatHasNoPermitLeft_suspendsOnlyWhoWaitsForOne() {
    Watched.run(() -> {
      RateLimiter<Object> limiter =
          RateLimiter.smoothBuilder(1, A_DAY).withMaxWaitTime(A_DAY.multipliedBy(1_000)).build();
      Failsafe.with(limiter).run(() -> {});
      Heddle.scope(scope -> {
        List<Coroutine<Void>> waiting =
            crowd(
                50,
                () -> {
                  assertThatThrownBy(() ->
                          Heddle.withTimeout(
                              Duration.ofMillis(200), () -> Failsafe.with(limiter).run(() -> {})))
                      .isInstanceOf(DeadlineException.class);
                  assertUndisturbed();
                  return null;
                });
        waiting.forEach(Coroutine::await);
        return null;
      });
    });
  }

  @Test
  void getAsync_gotBy50Coroutines_suspendsOnlyThem() {
    CountDownLatch released = new CountDownLatch(1);
    Watched.run(() -> {
      List<Coroutine<Integer>> calls =
          crowd(
              50,
              () ->
                  Failsafe.with(RetryPolicy.<Integer>ofDefaults())
                      .with(ForkJoinPool.commonPool())
                      .getAsync(() -> {
                        released.await();
                        return 1;
                      })
                      .get());
      assertOnlyTheyWait(calls, () -> calls.stream().allMatch(Coroutine::isSuspended));
      released.countDown();
      assertThat(calls.stream().mapToInt(Coroutine::await).sum()).isEqualTo(50);
    });
  }

  /// The first try is cut, the policy takes that for a failure, and the second try succeeds.
  @ParameterizedTest
  @EnumSource
  void within_aroundARetryOfACallThatWaits_endsWithItsDeadline(Wait wait) {
    Watched.run(() -> {
      RetryPolicy<Object> retry =
          RetryPolicy.builder().withDelay(Duration.ofMillis(1)).handle(Throwable.class).build();
      int[] tries = {0};
      assertThatThrownBy(() ->
              Heddle.withTimeout(
                  Duration.ofMillis(50),
                  () ->
                      Failsafe.with(retry)
                          .get(() -> {
                            if (++tries[0] == 1) {
                              wait.run();
                            }
                            return tries[0];
                          })))
          .isInstanceOf(DeadlineException.class);
      assertUndisturbed();
    });
  }
}
