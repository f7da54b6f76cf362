// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A coroutine that is cancelled does not try again.
@Timeout(300)
class RetryCancellationTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Attempts attempts = new Attempts();

  private static Duration seconds(long count) {
    return Duration.ofSeconds(count);
  }

  @Test
  void cancellation_isNeverRetried_evenIfTheConditionAcceptsIt() {
    attempts.run(() -> {
      Coroutine<?> retrying =
          Heddle.spawn(() ->
              Retry.with(Backoff.constant(SECOND))
                  .withRetryIf(_ -> true)
                  .run(() -> {
                    attempts.count++;
                    Heddle.delay(seconds(100));
                  }));
      Heddle.delay(SECOND);
      retrying.cancel("enough");
      assertThatThrownBy(retrying::await).isInstanceOf(Cancellation.class).hasMessage("enough");
      assertThat(attempts.count).isEqualTo(1);
    });
  }

  @Test
  void cancellation_thatTheBodyTurnedIntoAnException_isNotRetried() {
    attempts.run(() -> {
      Coroutine<?> retrying =
          Heddle.spawn(() ->
              Retry.with(Backoff.constant(SECOND))
                  .run(() -> {
                    attempts.count++;
                    try {
                      Thread.sleep(100_000); // a cancellation interrupts it
                    } catch (InterruptedException e) {
                      throw new IllegalStateException("interrupted", e);
                    }
                  }));
      Heddle.delay(SECOND);
      retrying.cancel("enough");
      assertThatThrownBy(retrying::await).isInstanceOf(Cancellation.class);
      assertThat(attempts.count).isEqualTo(1);
    });
  }

  @Test
  void cancellation_ofAnotherCoroutine_isNotRetriedEither() {
    attempts.run(() -> {
      Coroutine<?> other = Heddle.spawn(() -> Heddle.delay(seconds(100)));
      other.cancel("enough");
      Retry retry = Retry.with(Backoff.constant(SECOND)).withRetryIf(_ -> true);
      assertThatThrownBy(() ->
              retry.run(() -> {
                attempts.count++;
                other.await();
              }))
          .isInstanceOf(Cancellation.class);
      assertThat(attempts.count).isEqualTo(1);
    });
  }

  @Test
  void cancellation_duringTheDelay_endsTheRetries() {
    attempts.run(() -> {
      Coroutine<?> retrying =
          Heddle.spawn(
              () -> Retry.with(Backoff.constant(seconds(100))).run(() -> attempts.failing(9)));
      Heddle.delay(SECOND);
      retrying.cancel("enough");
      assertThatThrownBy(retrying::await).isInstanceOf(Cancellation.class);
      assertThat(attempts.count).isEqualTo(1);
      assertThat(attempts.elapsed()).isEqualTo(SECOND);
    });
  }

  /// A failing attempt ends a cancelled coroutine as a failing body does.
  @Test
  @Tag("loop-364")
  void failureThatACancellationOvertakes_isThrownAndNotRetried() {
    attempts.run(() -> {
      Retry retry = Retry.with(Backoff.constant(SECOND));
      Body<String> failing =
          () -> {
            Heddle.current().cancel("enough");
            return attempts.failing(9);
          };
      Coroutine<String> retrying =
          Heddle.supervise(s -> {
            Coroutine<String> spawned = s.spawn(() -> retry.run(failing));
            Heddle.yieldNow();
            return spawned;
          });
      assertThatThrownBy(retrying::await)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("attempt 1");
      assertThat(attempts.count).isEqualTo(1);
    });
  }

  @Test
  @Tag("loop-364")
  void cancellationThatTheBodyWrapped_isNotRetried() {
    attempts.run(() -> {
      Retry retry = Retry.with(Backoff.constant(SECOND));
      Throwable thrown =
          catchThrowable(() ->
              Heddle.withTimeout(
                  SECOND,
                  () ->
                      retry.run(() -> {
                        attempts.count++;
                        try {
                          Heddle.delay(seconds(100));
                        } catch (Cancellation c) {
                          throw new IllegalStateException("wrapped", c);
                        }
                      })));
      assertThat(thrown).hasMessage("wrapped");
      assertThat(attempts.count).isEqualTo(1);
      assertThat(attempts.elapsed()).isEqualTo(SECOND);
    });
  }

  /// It computed, or was queued, when it was cancelled: the first attempt meets that.
  @ParameterizedTest
  @EnumSource
  @Tag("loop-364")
  void cancellationThatWasPendingBefore_isNotRetried(CircuitBreakerFaultTest.Form form) {
    Heddle.run(() -> {
      Retry retry = Retry.with(Backoff.constant(Duration.ofNanos(1)));
      Coroutine<?> retrying =
          Heddle.spawn(() -> {
            Heddle.current().cancel("enough");
            retry.run(() -> {
              attempts.count++;
              form.call();
            });
          });
      assertThat(catchThrowable(retrying::await)).isNotNull();
      assertThat(attempts.count).isEqualTo(1);
    });
  }

  @ParameterizedTest
  @EnumSource
  @Tag("loop-364")
  void cleanUpOfACancelledCoroutine_isRetriedAsAnyOther(CircuitBreakerFaultTest.Form form) {
    attempts.run(() -> {
      Retry retry = Retry.with(Backoff.constant(SECOND));
      Coroutine<?> cancelled =
          Heddle.spawn(() -> {
            try {
              var _ = catchThrowable(form::call);
            } finally {
              attempts.log.add(retry.run(() -> attempts.failing(2)));
            }
          });
      Heddle.delay(SECOND);
      cancelled.cancel("enough");
      assertThatThrownBy(cancelled::await).isInstanceOf(Cancellation.class);
      assertThat(attempts.log).endsWith("attempt 3");
    });
  }
}
