// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Reports;
import dev.heddle.event.Promise;
import dev.heddle.simulation.VirtualTime;
import dev.heddle.sync.CircuitBreaker.State;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Calls that their callers cancel, and user code that throws inside a circuit breaker.
@Timeout(300)
class CircuitBreakerFaultTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration DAY = Duration.ofDays(1);

  /// One failure opens it, and one trial that succeeds closes it.
  private static CircuitBreakerOptions options() {
    return CircuitBreakerOptions.defaults()
        .withName("service")
        .withFailures(1, 1)
        .withRecovery(RecoveryStrategy.fixed(SECOND));
  }

  private static Throwable fail(CircuitBreaker breaker) {
    return catchThrowable(() ->
        breaker.run(() -> {
          throw new IOException("no route");
        }));
  }

  /// A call that makes an exception of its own of a cancellation.
  private static void wrapping() throws IOException {
    try {
      Heddle.delay(DAY);
    } catch (Cancellation c) {
      throw new IOException("gave up", c);
    }
  }

  /// A call whose library makes an exception of its own of an interrupt.
  private static void interrupted() throws IOException {
    try {
      Thread.sleep(DAY);
    } catch (InterruptedException e) {
      throw new IOException("interrupted", e);
    }
  }

  private static void settle() {
    for (int i = 0; i < 10; i++) {
      Heddle.yieldNow();
    }
  }

  // ---- callers that cancel ----

  /// How the cancellation of a caller leaves the call.
  enum Form {
    WRAPPED,
    INTERRUPT;

    void call() throws Exception {
      if (this == WRAPPED) {
        wrapping();
      } else {
        interrupted();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("loop-360")
  void callThatMakesAnExceptionOfItsCancellation_isNoFailureOfTheService(Form form) {
    Heddle.run(() -> {
      CircuitBreaker breaker = new CircuitBreaker(options());
      Coroutine<?> caller = Heddle.spawn(() -> catchThrowable(() -> breaker.run(form::call)));
      settle();
      caller.cancel("enough");
      assertThat(catchThrowable(caller::await)).isNotNull();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      assertThat(breaker.info()).contains("0 of the last 1 calls failed");
    });
  }

  /// It computed, or was queued, when it was cancelled: the call meets that.
  @ParameterizedTest
  @EnumSource
  @Tag("loop-360")
  void callOfACallerThatWasCancelledBefore_isNoFailureOfTheService(Form form) {
    Heddle.run(() -> {
      CircuitBreaker breaker = new CircuitBreaker(options());
      Coroutine<?> caller =
          Heddle.spawn(() -> {
            Heddle.current().cancel("enough");
            breaker.run(form::call);
          });
      assertThat(catchThrowable(caller::await)).isNotNull();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      assertThat(breaker.info()).contains("0 of the last 1 calls failed");
    });
  }

  @ParameterizedTest
  @EnumSource
  @Tag("loop-360")
  void trialThatReturnsAlthoughItsCallerWasCancelled_doesNotClose(Form form) {
    Heddle.run(() -> {
      CircuitBreaker breaker = new CircuitBreaker(options());
      breaker.probe();
      Coroutine<?> trial =
          Heddle.spawn(() ->
              breaker.<String>run(() -> {
                try {
                  form.call();
                  return "reply";
                } catch (IOException e) {
                  return "fallback";
                }
              }));
      settle();
      trial.cancel("enough");
      assertThatThrownBy(trial::await).isInstanceOf(Cancellation.class);
      assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
      assertThat(breaker.<String>run(() -> "back")).isEqualTo("back"); // the trial is free
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  @ParameterizedTest
  @EnumSource
  @Tag("loop-360")
  void trialThatMakesAnExceptionOfItsCancellation_isFreeAgain(Form form) {
    Heddle.run(() -> {
      CircuitBreaker breaker = new CircuitBreaker(options());
      breaker.probe();
      Coroutine<?> trial = Heddle.spawn(() -> catchThrowable(() -> breaker.run(form::call)));
      settle();
      assertThat(breaker.tryAcquire()).isNull();
      trial.cancel("enough");
      assertThat(catchThrowable(trial::await)).isNotNull();
      assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
      assertThat(breaker.<String>run(() -> "back")).isEqualTo("back");
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  @Test
  @Tag("loop-360")
  void deadlineOfABlockAroundTheCall_isNoFailureOfTheService() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = new CircuitBreaker(options());
      assertThatThrownBy(() ->
              Heddle.withTimeout(SECOND, () -> breaker.run(CircuitBreakerFaultTest::wrapping)))
          .hasRootCauseInstanceOf(Cancellation.class);
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      assertThatThrownBy(
              () -> breaker.run(() -> Heddle.withTimeout(SECOND, () -> Heddle.delay(DAY))))
          .isInstanceOf(DeadlineException.class);
      assertThat(breaker.state()).isEqualTo(State.OPEN); // a limit of the call itself
    });
  }

  @Test
  @Tag("loop-360")
  void callThatAwaitsWhatOthersHaveCancelled_countsAsNeither() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = new CircuitBreaker(options());
      Coroutine<?> helper = Heddle.spawn(() -> Heddle.delay(DAY));
      helper.cancel("enough");
      assertThatThrownBy(() -> breaker.run(() -> Heddle.await(helper)))
          .isInstanceOf(Cancellation.class);
      Promise<Boolean> token = Heddle.promise();
      token.complete(true);
      assertThatThrownBy(() ->
              breaker.run(() -> Heddle.await(new Promise<Boolean>().future(), token.future())))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  /// A clean-up may call services, too.
  @ParameterizedTest
  @EnumSource
  @Tag("loop-360")
  void callInTheCleanUpOfACancelledCoroutine_countsAsAnyOther(Form form) {
    Heddle.run(() -> {
      CircuitBreaker breaker =
          new CircuitBreaker(options().withRecovery(RecoveryStrategy.manual()));
      Coroutine<?> caller =
          Heddle.spawn(() ->
              catchThrowable(() -> {
                try {
                  form.call();
                } finally {
                  fail(breaker);
                }
              }));
      settle();
      caller.cancel("enough");
      assertThatThrownBy(caller::await).isInstanceOf(Cancellation.class);
      assertThat(breaker.state()).isEqualTo(State.OPEN);
    });
  }

  @ParameterizedTest
  @EnumSource
  @Tag("loop-360")
  void trialInTheCleanUpOfACancelledCoroutine_closes(Form form) {
    Heddle.run(() -> {
      CircuitBreaker breaker = new CircuitBreaker(options());
      breaker.probe();
      Coroutine<?> caller =
          Heddle.spawn(() ->
              catchThrowable(() -> {
                try {
                  form.call();
                } finally {
                  breaker.run(() -> {});
                }
              }));
      settle();
      caller.cancel("enough");
      assertThatThrownBy(caller::await).isInstanceOf(Cancellation.class);
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  /// From the end of the grace period on, every wait of the clean-up throws.
  @Test
  @Tag("loop-360")
  void callInACleanUpWhoseGracePeriodEnds_isNoFailureOfTheService() {
    try (Reports _ = new Reports()) {
      VirtualTime.run(() -> {
        CircuitBreaker breaker = new CircuitBreaker(options());
        Coroutine<?> caller =
            Heddle.spawn(() ->
                catchThrowable(() -> {
                  try {
                    wrapping();
                  } finally {
                    breaker.run(CircuitBreakerFaultTest::wrapping);
                  }
                }));
        settle();
        caller.cancel("enough");
        assertThatThrownBy(caller::await).isInstanceOf(Cancellation.class);
        assertThat(breaker.info()).contains("0 of the last 1 calls failed");
      });
    }
  }

  /// Nothing has ended it but its service.
  @Test
  @Tag("loop-360")
  void callThatIsShieldedFromACancellation_countsAsAnyOther() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = new CircuitBreaker(options());
      Coroutine<?> caller =
          Heddle.spawn(() ->
              Heddle.shield(() ->
                  catchThrowable(() ->
                      breaker.run(() -> {
                        Heddle.delay(SECOND);
                        throw new IOException("no route");
                      }))));
      settle();
      caller.cancel("enough");
      assertThatThrownBy(caller::await).isInstanceOf(Cancellation.class);
      assertThat(breaker.state()).isEqualTo(State.OPEN);
    });
  }

  // ---- user code that throws ----

  @Test
  @Tag("loop-361")
  void predicateThatThrowsInATrial_doesNotKeepTheTrialForEver() {
    try (Reports reports = new Reports()) {
      VirtualTime.run(() -> {
        CircuitBreaker breaker =
            new CircuitBreaker(
                options()
                    .withFailureWhen(_ -> {
                      throw new AssertionError("the predicate");
                    }));
        breaker.probe();
        assertThat(fail(breaker)).hasRootCauseMessage("no route");
        assertThat(breaker.state()).isEqualTo(State.OPEN); // as without a predicate
        Heddle.delay(SECOND);
        assertThat(breaker.<String>run(() -> "back")).isEqualTo("back");
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
      });
      assertThat(reports.failures()).extracting(Throwable::getMessage).contains("the predicate");
    }
  }

  /// A cancellation must reach the coroutine, also one that the predicate has met.
  @Test
  @Tag("loop-361")
  void predicateThatIsCancelledInATrial_freesTheTrial() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker =
          new CircuitBreaker(
              options()
                  .withFailureWhen(_ -> {
                    Heddle.delay(DAY);
                    return true;
                  }));
      breaker.probe();
      List<Throwable> thrown = new ArrayList<>();
      Coroutine<?> trial = Heddle.spawn(() -> thrown.add(fail(breaker)));
      settle();
      trial.cancel("enough");
      settle();
      assertThat(thrown).singleElement().isInstanceOf(Cancellation.class);
      assertThat(thrown.getFirst().getSuppressed())
          .extracting(Throwable::getMessage)
          .containsExactly("no route"); // it carries the failure of the call
      assertThat(breaker.<String>run(() -> "back")).isEqualTo("back");
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  /// How a recovery strategy breaks its contract.
  enum Broken implements RecoveryStrategy {
    THROWS {
      @Override
      public Duration openTime(int attempt) {
        throw new IllegalStateException("the strategy");
      }
    },
    HAS_NO_TIME {
      @Override
      public Duration openTime(int attempt) {
        List<Duration> none = new ArrayList<>();
        none.add(null);
        return none.getFirst();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("loop-361")
  void recoveryStrategyThatThrowsInATrial_doesNotKeepTheTrialForEver(Broken strategy) {
    try (Reports reports = new Reports()) {
      VirtualTime.run(() -> {
        CircuitBreaker breaker = new CircuitBreaker(options().withRecovery(strategy));
        breaker.probe();
        assertThat(fail(breaker)).hasRootCauseMessage("no route");
        assertThat(breaker.state()).isEqualTo(State.OPEN);
        assertThat(breaker.retryAfter()).isEqualTo(SECOND); // that of the default strategy
        Heddle.delay(SECOND);
        assertThat(breaker.<String>run(() -> "back")).isEqualTo("back");
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
        breaker.trip();
        assertThat(breaker.state()).isEqualTo(State.OPEN);
      });
      assertThat(reports.messages())
          .contains("the recovery strategy of the circuit breaker 'service' failed");
    }
  }

  @Test
  @Tag("loop-361")
  void recoveryStrategyThatIsCancelledInATrial_freesTheTrial() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker =
          new CircuitBreaker(
              options()
                  .withRecovery(attempt -> {
                    Heddle.delay(DAY);
                    return SECOND.multipliedBy(attempt);
                  }));
      breaker.probe();
      List<Throwable> thrown = new ArrayList<>();
      Coroutine<?> trial = Heddle.spawn(() -> thrown.add(fail(breaker)));
      settle();
      trial.cancel("enough");
      settle();
      assertThat(thrown).singleElement().isInstanceOf(Cancellation.class);
      assertThat(breaker.<String>run(() -> "back")).isEqualTo("back");
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  @Test
  @Tag("loop-361")
  void listenerThatThrowsAnError_losesNoResultAndNoFailure() {
    try (Reports reports = new Reports()) {
      VirtualTime.run(() -> {
        CircuitBreaker breaker =
            new CircuitBreaker(
                options()
                    .withListener((_, _) -> {
                      throw new AssertionError("the listener");
                    }));
        assertThat(fail(breaker)).hasRootCauseMessage("no route");
        assertThat(breaker.state()).isEqualTo(State.OPEN);
        Heddle.delay(SECOND);
        assertThat(breaker.<String>run(() -> "back")).isEqualTo("back");
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
      });
      assertThat(reports.failures())
          .extracting(Throwable::getMessage)
          .containsExactly("the listener", "the listener", "the listener");
    }
  }

  /// The listener may use the circuit breaker that calls it.
  @Test
  @Tag("loop-361")
  void listenerThatTripsItAgain_isNotOverruledByTheLeaseWhoseTrialHadClosedIt() {
    VirtualTime.run(() -> {
      Promise<CircuitBreaker> self = Heddle.promise();
      int[] closed = {0};
      CircuitBreaker breaker =
          new CircuitBreaker(
              options()
                  .withRecovery(RecoveryStrategy.manual())
                  .withListener((_, to) -> {
                    if (to == State.CLOSED && closed[0]++ == 0) {
                      self.future().await().trip();
                    }
                  }));
      self.complete(breaker);
      Pool<Object> pool = Pool.open(PoolOptions.of(Object::new).withCircuitBreaker(breaker));
      breaker.probe();
      Lease<Object> trial = pool.acquire();
      assertThat(breaker.state()).isEqualTo(State.OPEN);
      trial.close();
      assertThat(breaker.state()).isEqualTo(State.OPEN);
    });
  }

  // ---- views ----

  @Test
  void snapshot_ofALongWindow_hasItsLength() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = new CircuitBreaker(options().withFailures(50, 100));
      assertThat(breaker.snapshot().window()).isEqualTo(100);
    });
  }
}
