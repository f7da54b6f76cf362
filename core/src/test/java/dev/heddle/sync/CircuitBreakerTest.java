// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.heddle.Heddle;
import dev.heddle.ServiceUnavailableException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.simulation.VirtualTime;
import dev.heddle.sync.CircuitBreaker.Permit;
import dev.heddle.sync.CircuitBreaker.State;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class CircuitBreakerTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static CircuitBreakerOptions options() {
    return CircuitBreakerOptions.defaults()
        .withName("service")
        .withRecovery(RecoveryStrategy.exponential(SECOND, SECOND.multipliedBy(3)));
  }

  private static Throwable fail(CircuitBreaker breaker) {
    return catchThrowable(() ->
        breaker.run(() -> {
          throw new IOException("no route");
        }));
  }

  private static CircuitBreaker opened(CircuitBreakerOptions options) {
    CircuitBreaker breaker = new CircuitBreaker(options);
    breaker.trip();
    return breaker;
  }

  // ---- closed ----

  @Test
  void failures_inARow_openItAndTheNextCallIsRefusedWithTheLastOne() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = new CircuitBreaker(options().withFailures(3, 3));
      fail(breaker);
      fail(breaker);
      assertThat(breaker.<String>run(() -> "ok")).isEqualTo("ok"); // the row is broken
      fail(breaker);
      fail(breaker);
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      assertThat(fail(breaker)).hasRootCauseInstanceOf(IOException.class);
      assertThat(breaker.state()).isEqualTo(State.OPEN);

      ServiceUnavailableException refused =
          catchThrowableOfType(
              ServiceUnavailableException.class, () -> breaker.run(() -> "never called"));
      assertThat(refused)
          .hasMessageContaining("'service' refuses calls")
          .hasCauseInstanceOf(IOException.class);
      assertThat(refused.retryAfter()).isEqualTo(SECOND);
    });
  }

  @Test
  void failures_amongTheLastCalls_openItWhenThereAreEnough() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = new CircuitBreaker(options().withFailures(2, 4));
      fail(breaker);
      for (int i = 0; i < 3; i++) {
        breaker.run(() -> "ok");
      }
      assertThat(breaker.info()).contains("closed, 1 of the last 4");
      fail(breaker); // the first one is the fifth last
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      fail(breaker);
      assertThat(breaker.state()).isEqualTo(State.OPEN);
    });
  }

  @Test
  void failure_thatIsNotCounted_isASuccess() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker =
          new CircuitBreaker(
              options().withFailures(1, 1).withFailureWhen(e -> !(e instanceof IOException)));
      assertThat(fail(breaker)).hasRootCauseInstanceOf(IOException.class);
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      breaker.probe();
      fail(breaker);
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  @Test
  void call_thatIsCancelled_countsAsNeither() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = new CircuitBreaker(options().withFailures(1, 1));
      Coroutine<?> caller = Heddle.spawn(() -> breaker.run(() -> Heddle.delay(Duration.ofDays(1))));
      Heddle.yieldNow();
      caller.cancel("enough");
      assertThat(catchThrowable(caller::await)).isNotNull();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      assertThat(breaker.info()).contains("0 of the last 1 calls failed");
    });
  }

  // ---- open, and recovery ----

  @Test
  void open_untilTheTimeOfTheStrategyIsOver_refusesAndThenTries() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = opened(options());
      Heddle.delay(SECOND.minusNanos(1));
      assertThat(breaker.state()).isEqualTo(State.OPEN);
      assertThat(breaker.retryAfter()).isEqualTo(Duration.ofNanos(1));
      Heddle.delay(Duration.ofNanos(1));
      assertThat(breaker.<String>run(() -> "back")).isEqualTo("back");
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  @Test
  void trials_thatFail_openItLongerEachTimeUpToTheLimitAndSuccessForgetsThat() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = opened(options());
      List<Long> seconds = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        seconds.add(breaker.retryAfter().toSeconds());
        Heddle.delay(breaker.retryAfter());
        fail(breaker);
        assertThat(breaker.state()).isEqualTo(State.OPEN);
      }
      assertThat(seconds).containsExactly(1L, 2L, 3L, 3L);
      Heddle.delay(breaker.retryAfter());
      breaker.run(() -> "back");
      breaker.trip();
      assertThat(breaker.retryAfter()).isEqualTo(SECOND);
    });
  }

  @Test
  void backoff_decidesHowLongItStaysOpen() {
    VirtualTime.run(() -> {
      Backoff delays =
          Backoff.exponential(SECOND).withFactor(3).withMaxDelay(Duration.ofMinutes(1));
      CircuitBreaker breaker = opened(options().withRecovery(RecoveryStrategy.backoff(delays)));
      assertThat(breaker.retryAfter()).isEqualTo(SECOND);
      Heddle.delay(SECOND);
      fail(breaker); // the trial
      assertThat(breaker.retryAfter()).isEqualTo(SECOND.multipliedBy(3));
    });
  }

  @Test
  void manual_staysOpenUntilItIsProbedOrReset() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = opened(options().withRecovery(RecoveryStrategy.manual()));
      Heddle.delay(Duration.ofDays(1000));
      assertThatThrownBy(breaker::acquire).hasMessageContaining("until probe() or reset()");
      assertThat(breaker.retryAfter()).isNull();
      breaker.probe();
      assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
      assertThat(breaker.retryAfter()).isEqualTo(Duration.ZERO);
      breaker.trip();
      breaker.reset();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  @Test
  void open_doesNotKeepTheLoopAlive() {
    VirtualTime.run(() -> {
      opened(options());
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  void listener_hearsOfEachChange_andTheSnapshotCounts() {
    VirtualTime.run(() -> {
      List<String> heard = new ArrayList<>();
      CircuitBreaker breaker =
          new CircuitBreaker(
              options()
                  .withFailures(2, 3)
                  .withListener((from, to) -> heard.add(from + " -> " + to)));
      fail(breaker);
      assertThat(breaker.snapshot().failures()).isOne();
      fail(breaker);
      breaker.trip(); // no change
      fail(breaker); // refused
      assertThat(breaker.tryAcquire()).isNull();
      CircuitBreaker.Snapshot open = breaker.snapshot();
      assertThat(open.state()).isEqualTo(State.OPEN);
      assertThat(open.name()).isEqualTo("service");
      assertThat(List.of(open.failures(), open.window(), open.opened())).containsExactly(2, 3, 2);
      assertThat(open.refused()).isEqualTo(2);
      assertThat(open.lastFailure()).isInstanceOf(IOException.class);
      Heddle.delay(SECOND.multipliedBy(3));
      breaker.run(() -> "back");
      assertThat(heard)
          .containsExactly("CLOSED -> OPEN", "OPEN -> HALF_OPEN", "HALF_OPEN -> CLOSED");
      assertThat(breaker.snapshot().failures()).isZero();
    });
  }

  @Test
  void listener_thatFails_changesNothing() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker =
          new CircuitBreaker(
              options()
                  .withFailures(1, 1)
                  .withListener((_, _) -> {
                    throw new IllegalStateException("the listener");
                  }));
      assertThat(fail(breaker)).hasRootCauseMessage("no route");
      assertThat(breaker.state()).isEqualTo(State.OPEN);
    });
  }

  // ---- trial calls ----

  @Test
  void halfOpen_letsItsTrialCallsThroughAndClosesWhenAllSucceeded() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = opened(options().withTrialCalls(2));
      breaker.probe();
      Permit first = breaker.acquire();
      Permit second = breaker.acquire();
      assertThat(breaker.tryAcquire()).isNull();
      assertThatThrownBy(breaker::acquire).hasMessageContaining("trial calls have not ended");
      first.success();
      first.success(); // only the first report counts
      assertThat(breaker.tryAcquire()).isNull();
      assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
      second.success();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  @Test
  void trial_thatIsCancelled_isFreeAgain() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = opened(options());
      breaker.probe();
      Coroutine<?> trial = Heddle.spawn(() -> breaker.run(() -> Heddle.delay(Duration.ofDays(1))));
      Heddle.yieldNow();
      assertThat(breaker.tryAcquire()).isNull();
      trial.cancel("enough");
      assertThat(catchThrowable(trial::await)).isNotNull();
      assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
      assertThat(breaker.<String>run(() -> "back")).isEqualTo("back");
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  @Test
  void permit_ofAnEarlierEra_changesNothing() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = new CircuitBreaker(options().withFailures(1, 1));
      Permit slow = breaker.acquire();
      breaker.trip();
      breaker.probe();
      slow.failure(null);
      assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
      Permit cancelled = breaker.acquire();
      breaker.probe();
      Permit trial = Objects.requireNonNull(breaker.tryAcquire());
      cancelled.close();
      assertThat(breaker.tryAcquire()).isNull();
      trial.success();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  // ---- misuse ----

  @Test
  void options_thatMakeNoSense_areRefused() {
    CircuitBreakerOptions options = CircuitBreakerOptions.defaults();
    assertThatThrownBy(() -> options.withFailures(0, 1)).hasMessageContaining("1 <= count");
    assertThatThrownBy(() -> options.withFailures(3, 2)).hasMessageContaining("1 <= count");
    assertThatThrownBy(() -> options.withTrialCalls(0)).hasMessageContaining("at least 1");
    assertThatThrownBy(CircuitBreaker::new).hasMessageContaining("Heddle.run");
  }

  @Test
  void breaker_ofAnotherLoop_isRefused() {
    CircuitBreaker breaker = Heddle.run(() -> new CircuitBreaker(options()));
    Heddle.run(() ->
        assertThatThrownBy(breaker::acquire)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("belongs to another loop"));
  }

  @Test
  void window_withoutBound_takesOnlyTheMemoryOfItsCalls() {
    Heddle.run(() -> {
      CircuitBreaker breaker =
          new CircuitBreaker(CircuitBreakerOptions.defaults().withFailures(2, Integer.MAX_VALUE));
      breaker.acquire().failure(null);
      for (int i = 0; i < 300; i++) {
        breaker.acquire().success();
      }
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      breaker.acquire().failure(null);
      assertThat(breaker.state()).isEqualTo(State.OPEN);
    });
  }

  @Test
  void window_thatWasGrown_forgetsTheCallsBeforeIt() {
    Heddle.run(() -> {
      CircuitBreaker breaker =
          new CircuitBreaker(CircuitBreakerOptions.defaults().withFailures(2, 100));
      breaker.acquire().failure(null);
      for (int i = 0; i < 100; i++) {
        breaker.acquire().success();
      }
      breaker.acquire().failure(null);
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      breaker.acquire().failure(null);
      assertThat(breaker.state()).isEqualTo(State.OPEN);
    });
  }
}
