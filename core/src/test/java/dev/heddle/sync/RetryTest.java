// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.ChannelClosedException;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.PoolClosedException;
import dev.heddle.ServiceUnavailableException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class RetryTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Attempts attempts = new Attempts();

  private static Duration seconds(long count) {
    return Duration.ofSeconds(count);
  }

  // ---- attempts ----

  @Test
  void body_thatSucceeds_runsOnceAndDoesNotSuspend() {
    attempts.run(() -> {
      Retry retry = Retry.with(Backoff.constant(SECOND));
      assertThat(Heddle.assertNoSuspend(() -> retry.run(() -> attempts.failing(0))))
          .isEqualTo("attempt 1");
      assertThat(attempts.count).isEqualTo(1);
    });
  }

  @Test
  void body_thatFails_runsAgainAfterEachDelay() {
    attempts.run(() -> {
      Retry retry = Retry.with(Backoff.exponential(SECOND)).withMaxAttempts(5);
      assertThat(retry.run(() -> attempts.failing(3))).isEqualTo("attempt 4");
      assertThat(attempts.log).containsExactly(0L, 1L, 3L, 7L);
    });
  }

  @Test
  void lastFailure_isThrown_andItsReportNamesTheEarlierOnes() {
    attempts.run(() -> {
      Retry retry = Retry.with(Backoff.constant(SECOND));
      Throwable thrown = catchThrowable(() -> retry.run(() -> attempts.failing(9)));
      assertThat(thrown).isInstanceOf(IllegalStateException.class).hasMessage("attempt 3");
      assertThat(Heddle.reportOf(thrown).merged())
          .extracting(Throwable::getMessage)
          .containsExactly("attempt 1", "attempt 2");
      assertThat(attempts.count).isEqualTo(3);
    });
  }

  @Test
  void endlessRetries_rememberTheNewestFailuresOnly() {
    attempts.run(() -> {
      Retry retry = Retry.with(Backoff.constant(SECOND)).withMaxAttempts(50);
      Throwable thrown = catchThrowable(() -> retry.run(() -> attempts.failing(99)));
      assertThat(Heddle.reportOf(thrown).merged())
          .hasSize(8)
          .last()
          .satisfies(failure -> assertThat(failure).hasMessage("attempt 49"));
    });
  }

  @Test
  void attempt_getsItsNumber_andTheListenerHearsOfEachRetry() {
    attempts.run(() -> {
      Retry retry =
          Retry.with(Backoff.exponential(SECOND))
              .withListener((attempt, failure, delay) ->
                  attempts.log.add(attempt + " " + failure.getMessage() + " " + delay.toSeconds()));
      String result =
          retry.run((Integer attempt) -> {
            if (attempt < 3) {
              throw new IOException("no " + attempt);
            }
            return "yes " + attempt;
          });
      assertThat(result).isEqualTo("yes 3");
      assertThat(attempts.log).containsExactly("1 no 1 1", "2 no 2 2");
    });
  }

  @Test
  void delayOfZero_letsOthersRunBeforeEachAttempt() {
    attempts.run(() -> {
      Coroutine<?> other = Heddle.spawn(() -> attempts.log.add("other"));
      Retry retry = Retry.with(Backoff.constant(Duration.ZERO)).withMaxAttempts(100);
      assertThat(
              retry.run(() -> {
                if (!other.isDone()) {
                  throw new IllegalStateException("not yet");
                }
                return "done";
              }))
          .isEqualTo("done");
      assertThat(attempts.elapsed()).isZero();
    });
  }

  // ---- which failures ----

  @Test
  void checkedException_isWrappedOnce_andTheConditionSeesItAsItWas() {
    attempts.run(() -> {
      IOException refused = new IOException("refused");
      Retry retry = Retry.with(Backoff.constant(SECOND)).withRetryOn(IOException.class);
      Throwable thrown =
          catchThrowable(() ->
              retry.run(() -> {
                attempts.count++;
                // a checked failure of a coroutine arrives in a CoroutineException
                return Heddle.supervise(s ->
                    s.spawn(
                            () -> {
                              throw refused;
                            })
                        .await());
              }));
      assertThat(thrown).isInstanceOf(CoroutineException.class).hasCause(refused);
      assertThat(attempts.count).isEqualTo(3);
    });
  }

  @Test
  void failure_thatTheConditionRefuses_isThrownAtOnce() {
    attempts.run(() -> {
      Retry retry = Retry.with(Backoff.constant(SECOND)).withRetryOn(IOException.class);
      assertThatThrownBy(() -> retry.run(() -> attempts.failing(9))).hasMessage("attempt 1");
      assertThat(attempts.count).isEqualTo(1);
    });
  }

  @Test
  void types_areAllRetried_andReplaceThoseBefore() {
    attempts.run(() -> {
      Retry retry =
          Retry.with(Backoff.constant(SECOND))
              .withRetryOn(IOException.class)
              .withRetryOn(UncheckedIOException.class, IllegalStateException.class);
      assertThat(retry.run(() -> attempts.failing(2))).isEqualTo("attempt 3");
      Body<String> body =
          () -> {
            attempts.count++;
            throw new IOException("attempt " + attempts.count);
          };
      assertThatThrownBy(() -> retry.run(body)).hasRootCauseMessage("attempt 4");
      assertThatThrownBy(retry::withRetryOn).hasMessageContaining("give one");
    });
  }

  @Test
  void error_isRetriedOnlyIfTheConditionSaysSo() {
    attempts.run(() -> {
      Body<String> body =
          () -> {
            attempts.count++;
            throw new AssertionError("attempt " + attempts.count);
          };
      Retry retry = Retry.with(Backoff.constant(SECOND));
      assertThatThrownBy(() -> retry.run(body)).hasMessage("attempt 1");
      assertThatThrownBy(() -> retry.withRetryIf(_ -> true).run(body)).hasMessage("attempt 4");
    });
  }

  @Test
  void failure_thatTheNextAttemptWouldMeetAgain_isThrownAtOnce() {
    attempts.run(() -> {
      Retry retry = Retry.with(Backoff.constant(SECOND));
      List<RuntimeException> lasting =
          List.of(
              new NullPointerException(),
              new IllegalArgumentException(),
              new ClassCastException(),
              new IndexOutOfBoundsException(),
              new UnsupportedOperationException(),
              new PoolClosedException("closed"),
              new ChannelClosedException("closed", ChannelClosedException.Reason.CLOSED, null));
      for (RuntimeException failure : lasting) {
        attempts.count = 0;
        Body<String> body =
            () -> {
              attempts.count++;
              throw failure;
            };
        assertThatThrownBy(() -> retry.run(body)).isSameAs(failure);
        assertThat(attempts.count).as("attempts after %s", failure).isEqualTo(1);
        assertThatThrownBy(() -> retry.withRetryIf(_ -> true).run(body)).isSameAs(failure);
        assertThat(attempts.count).as("attempts after %s", failure).isEqualTo(4);
      }
    });
  }

  @Test
  void conditionOrBackoffThatThrows_namesTheFailureOfTheAttempt() {
    attempts.run(() -> {
      Retry retry = Retry.with(Backoff.constant(SECOND));
      Throwable thrown =
          catchThrowable(() ->
              retry
                  .withRetryIf(_ -> {
                    throw new UncheckedIOException(new IOException("condition"));
                  })
                  .run(() -> attempts.failing(9)));
      assertThat(thrown).isInstanceOf(UncheckedIOException.class);
      assertThat(Heddle.reportOf(thrown).merged())
          .extracting(Throwable::getMessage)
          .containsExactly("attempt 1");
    });
  }

  @Test
  void serviceThatIsUnavailable_isAskedAgainWhenItSaysSo() {
    attempts.run(() -> {
      Retry retry = Retry.with(Backoff.exponential(SECOND)).withMaxAttempts(4);
      String result =
          retry.run((Integer attempt) -> {
            attempts.log.add(attempts.elapsed().toSeconds());
            if (attempt < 4) {
              throw new ServiceUnavailableException("busy", seconds(attempt == 1 ? 10 : 1), null);
            }
            return "done";
          });
      assertThat(result).isEqualTo("done");
      assertThat(attempts.log).containsExactly(0L, 10L, 12L, 16L);

      assertThatThrownBy(() ->
              retry
                  .withTimeout(seconds(5))
                  .run(() -> {
                    throw new ServiceUnavailableException("busy", seconds(10), null);
                  }))
          .hasMessage("busy");
      assertThat(attempts.elapsed()).isEqualTo(seconds(16));
    });
  }

  @Test
  @Tag("loop-342")
  void refusalThatNoWaitEnds_isThrownAtOnce() {
    attempts.run(() -> {
      CircuitBreaker breaker =
          new CircuitBreaker(
              CircuitBreakerOptions.defaults().withRecovery(RecoveryStrategy.manual()));
      breaker.trip();
      Retry retry =
          Retry.with(Backoff.constant(SECOND))
              .withListener((attempt, _, _) -> attempts.log.add(attempt));
      assertThatThrownBy(() -> retry.run(() -> breaker.run(() -> "never called")))
          .isInstanceOf(ServiceUnavailableException.class)
          .hasMessageContaining("until probe() or reset()");
      assertThat(attempts.log).isEmpty();

      breaker.probe();
      try (var _ = breaker.acquire()) { // the only trial: another call is worth trying
        assertThatThrownBy(() -> retry.run(() -> breaker.run(() -> "never called")))
            .hasMessageContaining("trial calls have not ended");
      }
      assertThat(attempts.log).containsExactly(1, 2);
    });
  }

  // ---- bounds ----

  @Test
  void attemptTimeout_cancelsTheAttempt_andTheNextOneFollows() {
    attempts.run(() -> {
      Retry retry = Retry.with(Backoff.constant(SECOND)).withAttemptTimeout(seconds(2));
      String result =
          retry.run((Integer attempt) -> {
            attempts.log.add(attempts.elapsed().toSeconds());
            Heddle.delay(attempt < 3 ? seconds(50) : SECOND);
            return "attempt " + attempt;
          });
      assertThat(result).isEqualTo("attempt 3");
      assertThat(attempts.log).containsExactly(0L, 3L, 6L);
      assertThat(attempts.elapsed()).isEqualTo(seconds(7));
    });
  }

  @Test
  void timeout_cutsTheAttempt_andNamesTheEarlierFailure() {
    attempts.run(() -> {
      Retry retry = Retry.with(Backoff.constant(SECOND)).withTimeout(seconds(5));
      Throwable thrown =
          catchThrowable(() ->
              retry.run((Integer attempt) -> {
                Heddle.delay(attempt == 1 ? SECOND : seconds(50));
                throw new IllegalStateException("attempt " + attempt);
              }));
      assertThat(thrown).isInstanceOf(DeadlineException.class);
      assertThat(attempts.elapsed()).isEqualTo(seconds(5));
      assertThat(Heddle.reportOf(thrown).merged())
          .extracting(Throwable::getMessage)
          .contains("attempt 1");
    });
  }

  @Test
  void timeout_thatTheNextDelayWouldOutlast_throwsTheFailureAtOnce() {
    attempts.run(() -> {
      Retry retry =
          Retry.with(Backoff.exponential(SECOND)).withMaxAttempts(9).withTimeout(seconds(6));
      assertThatThrownBy(() -> retry.run(() -> attempts.failing(9))).hasMessage("attempt 3");
      assertThat(attempts.elapsed()).isEqualTo(seconds(3));
    });
  }

  @Test
  void deadline_boundsAllAttempts_andTheEarlierBoundCounts() {
    attempts.run(() -> {
      Retry retry = Retry.with(Backoff.exponential(SECOND)).withMaxAttempts(9);
      Deadline six = Deadline.after(seconds(6));
      assertThatThrownBy(() -> retry.run(() -> attempts.failing(9), six)).hasMessage("attempt 3");
      assertThat(attempts.elapsed()).isEqualTo(seconds(3));

      Action slow = () -> Heddle.delay(seconds(100));
      assertThatThrownBy(() -> retry.run(slow, six)).isInstanceOf(DeadlineException.class);
      assertThat(attempts.elapsed()).isEqualTo(seconds(6));

      Deadline far = Deadline.after(seconds(60));
      assertThatThrownBy(() -> retry.withTimeout(seconds(4)).run(slow, far))
          .isInstanceOf(DeadlineException.class);
      assertThat(attempts.elapsed()).isEqualTo(seconds(10));
      Deadline near = Deadline.after(seconds(1));
      assertThatThrownBy(() ->
              retry
                  .withTimeout(seconds(4))
                  .run((Integer attempt) -> attempts.failing(attempt + 9), near))
          .isInstanceOf(IllegalStateException.class);
      assertThat(attempts.elapsed()).isEqualTo(seconds(10));
    });
  }

  @Test
  void bounds_nested_theEarliestCounts() {
    attempts.run(() -> {
      Retry retry =
          Retry.with(Backoff.constant(SECOND))
              .withMaxAttempts(99)
              .withAttemptTimeout(seconds(4))
              .withTimeout(seconds(30));
      Throwable thrown =
          catchThrowable(() ->
              Heddle.withTimeout(
                  seconds(11),
                  () ->
                      retry.run(() -> {
                        attempts.count++;
                        Heddle.delay(seconds(100));
                      })));
      assertThat(thrown)
          .isInstanceOf(DeadlineException.class)
          .hasMessageContaining("withTimeout(PT11S) expired");
      assertThat(attempts.elapsed()).isEqualTo(seconds(11));
      assertThat(attempts.count).isEqualTo(3); // at 0, 5 and 10

      attempts.count = 0;
      assertThatThrownBy(() ->
              Heddle.withTimeout(
                  seconds(11),
                  () ->
                      retry
                          .withTimeout(seconds(7))
                          .run(() -> {
                            attempts.count++;
                            Heddle.delay(seconds(100));
                          })))
          .isInstanceOf(DeadlineException.class)
          .hasMessageContaining("withDeadline(deadline) expired");
      assertThat(attempts.elapsed()).isEqualTo(seconds(18));
      assertThat(attempts.count).isEqualTo(2);
    });
  }

  // ---- the budget ----

  @Test
  void budget_allowsTheReserveAndAShareOfTheCalls() {
    attempts.run(() -> {
      RetryBudget budget = new RetryBudget(0.25, 2);
      Retry retry = Retry.with(Backoff.constant(SECOND)).withMaxAttempts(2).withBudget(budget);
      for (int call = 0; call < 102; call++) {
        assertThatThrownBy(() -> retry.run(() -> attempts.failing(999)))
            .isInstanceOf(IllegalStateException.class);
      }
      // the reserve, and a quarter of those after the first, which found the reserve full
      assertThat(attempts.count - 102).isEqualTo(2 + 25);
      assertThat(budget.refused()).isEqualTo(102 - 27);
    });
  }

  @Test
  void budget_isRefilledByCalls_upToTheReserve() {
    attempts.run(() -> {
      RetryBudget budget = new RetryBudget(0.5, 2);
      Retry retry = Retry.with(Backoff.constant(SECOND)).withMaxAttempts(9).withBudget(budget);
      assertThatThrownBy(() -> retry.run(() -> attempts.failing(99))).hasMessage("attempt 3");
      assertThat(budget).hasToString("a retry budget with 0 of 2 left, 1 refused");
      for (int i = 0; i < 20; i++) {
        retry.run(() -> "success");
      }
      assertThat(budget.available()).isEqualTo(2);
    });
  }

  @Test
  void budget_ofAnotherLoop_isRefused() {
    RetryBudget foreign = Heddle.run(() -> new RetryBudget(0.1, 1));
    attempts.run(() ->
        assertThatThrownBy(
                () -> Retry.with(Backoff.constant(SECOND)).withBudget(foreign).run(() -> "never"))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("belongs to another loop"));
  }

  @Test
  void retry_thatHasNoTimeLeft_takesNothingFromTheBudget() {
    attempts.run(() -> {
      RetryBudget budget = new RetryBudget(0, 5);
      Retry retry =
          Retry.with(Backoff.constant(seconds(9))).withTimeout(seconds(5)).withBudget(budget);
      assertThatThrownBy(() -> retry.run(() -> attempts.failing(9))).hasMessage("attempt 1");
      assertThat(budget.available()).isEqualTo(5);
    });
  }

  // ---- arguments ----

  @Test
  void arguments_thatMakeNoSense_areRefused() {
    attempts.run(() -> {
      Backoff backoff = Backoff.exponential(SECOND);
      Retry retry = Retry.with(backoff);
      for (Action refused :
          List.<Action>of(
              () -> Backoff.constant(SECOND.negated()),
              () -> Backoff.exponential(Duration.ZERO),
              () -> backoff.withFactor(0.5),
              () -> backoff.withFactor(Double.NaN),
              () -> backoff.withMaxDelay(Duration.ofMillis(1)),
              () -> backoff.delay(0, SECOND),
              () -> retry.withMaxAttempts(0),
              () -> retry.withTimeout(Duration.ZERO),
              () -> retry.withAttemptTimeout(SECOND.negated()),
              () -> new RetryBudget(1.5, 1),
              () -> new RetryBudget(Double.NaN, 1),
              () -> new RetryBudget(0.1, 0))) {
        assertThatThrownBy(refused::run).isInstanceOf(IllegalArgumentException.class);
      }
    });
  }
}
