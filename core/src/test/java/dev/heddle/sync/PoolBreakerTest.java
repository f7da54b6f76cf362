// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.ServiceUnavailableException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Reports;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.simulation.VirtualTime;
import dev.heddle.sync.CircuitBreaker.State;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What a lease of a pool is for its circuit breaker: which part of it is a trial, and what counts.
@Timeout(300)
class PoolBreakerTest extends PoolItems {
  private static CircuitBreaker breaker(int trials) {
    return new CircuitBreaker(
        CircuitBreakerOptions.defaults()
            .withFailures(1, 1)
            .withTrialCalls(trials)
            .withRecovery(RecoveryStrategy.manual()));
  }

  /// Opens a pool whose factory takes a second.
  private Pool<Item> slow(int max, CircuitBreaker breaker) {
    return Pool.open(
        PoolOptions.<Item>of(
                () -> {
                  Heddle.delay(Duration.ofSeconds(1));
                  return new Item(++made);
                })
            .withSize(0, max)
            .withCircuitBreaker(breaker));
  }

  @Test
  void trial_hasEndedWhenTheFactoryHas_soThatALongLeaseRefusesNoOther() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = breaker(1);
      Pool<Item> pool = Pool.open(items(0, 3).withCircuitBreaker(breaker));
      breaker.trip();
      breaker.probe();
      Lease<Item> held = pool.acquire();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      pool.acquire().close();
      held.close();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  @Test
  void trial_whileTheFactoryRuns_refusesAnotherOne() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = breaker(1);
      Pool<Item> pool = slow(2, breaker);
      breaker.probe();
      Coroutine<Lease<Item>> trial = acquirer(pool, "trial");
      settle();
      assertThatThrownBy(pool::acquire)
          .isInstanceOf(ServiceUnavailableException.class)
          .hasMessageContaining("trial calls have not ended");
      assertThat(pool.size()).isEqualTo(1);
      trial.await().close();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  @Test
  void trial_hasEndedWhenTheCheckHas() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = breaker(1);
      Pool<Item> pool =
          Pool.open(items(3, 3).withBeforeAcquire(_ -> true).withCircuitBreaker(breaker));
      breaker.probe();
      Lease<Item> held = pool.acquire();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      pool.acquire().close();
      held.close();
    });
  }

  @Test
  void lease_afterItsTrial_stillFails() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = breaker(1);
      Pool<Item> pool = Pool.open(items(0, 3).withCircuitBreaker(breaker));
      breaker.probe();
      Lease<Item> trial = pool.acquire();
      trial.discard();
      assertThat(breaker.state()).isEqualTo(State.OPEN);
    });
  }

  @Test
  void lease_ofOneOfSeveralTrials_countsOnceAndStillFails() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = breaker(3);
      Pool<Item> pool = Pool.open(items(0, 3).withCircuitBreaker(breaker));
      breaker.probe();
      Lease<Item> first = pool.acquire();
      Lease<Item> second = pool.acquire();
      first.close();
      assertThat(breaker.info()).contains("2 of 3 trial calls succeeded");
      second.discard();
      assertThat(breaker.state()).isEqualTo(State.OPEN);
    });
  }

  @Test
  void idleResources_whileItIsHalfOpen_areLentWithoutTrials() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = breaker(1);
      Pool<Item> pool = Pool.open(items(3, 4).withCircuitBreaker(breaker));
      breaker.probe();
      List<Lease<Item>> all = IntStream.range(0, 3).mapToObj(_ -> pool.acquire()).toList();
      assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
      all.getFirst().close();
      assertThat(breaker.state()).isEqualTo(State.CLOSED); // it came back
      breaker.probe();
      all.get(1).discard(); // of an earlier era
      assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
      pool.acquire().discard();
      assertThat(breaker.state()).isEqualTo(State.OPEN);
      assertThat(pool.tryAcquire()).isNull();
    });
  }

  @Test
  void waiter_hasNoTrial() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = breaker(1);
      Pool<Item> pool = Pool.open(items(0, 1).withCircuitBreaker(breaker));
      Lease<Item> lease = pool.acquire();
      breaker.probe();
      Coroutine<Lease<Item>> waiter = acquirer(pool, "w");
      settle();
      assertThat(pool.waiting()).isEqualTo(1);
      assertThat(breaker.<String>run(() -> "through")).isEqualTo("through");
      lease.close();
      waiter.await().close();
    });
  }

  @Test
  void acquire_whileItIsOpen_throwsInsteadOfWaiting() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = breaker(1);
      Pool<Item> pool = Pool.open(items(0, 1).withCircuitBreaker(breaker));
      Lease<Item> lease = pool.acquire();
      breaker.trip();
      assertThatThrownBy(pool::acquire).isInstanceOf(ServiceUnavailableException.class);
      lease.close();
    });
  }

  @Test
  void waiter_whoseTurnComesWhileItIsOpen_isRefusedAndTheResourceIsIdle() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = breaker(1);
      Pool<Item> pool = Pool.open(items(0, 1).withCircuitBreaker(breaker));
      Lease<Item> lease = pool.acquire();
      Coroutine<Throwable> waiter = Heddle.spawn(() -> catchThrowable(pool::acquire));
      settle();
      breaker.trip();
      lease.close();
      assertThat(waiter.await()).isInstanceOf(ServiceUnavailableException.class);
      assertThat(pool.idle()).isEqualTo(1);
    });
  }

  @Test
  void trial_thatIsCancelledInTheFactory_isFreeAgain() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = breaker(1);
      Pool<Item> pool = slow(1, breaker);
      breaker.probe();
      Coroutine<Lease<Item>> trial = acquirer(pool, "trial");
      settle();
      trial.cancel("enough");
      settle();
      assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
      pool.acquire().close();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  // ---- what is no failure of the service ----

  @Test
  @Tag("loop-360")
  void acquireWhoseDeadlineIsOverBeforeTheFactory_isNoFailureOfTheService() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = breaker(1);
      Pool<Item> pool = slow(1, breaker);
      Deadline over = Deadline.after(Duration.ofSeconds(1)); // of a request with several steps
      Heddle.delay(Duration.ofSeconds(1));
      assertThatThrownBy(() -> pool.acquire(over)).isInstanceOf(DeadlineException.class);
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      breaker.probe();
      assertThatThrownBy(() -> pool.acquire(over)).isInstanceOf(DeadlineException.class);
      assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
      pool.acquire().close(); // the trial is free
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  /// How an acquirer ends a factory that waits in the JDK.
  enum End {
    CANCELLED,
    TOKEN
  }

  @ParameterizedTest
  @EnumSource
  @Tag("loop-360")
  void factoryThatMakesAnExceptionOfTheEndOfItsAcquirer_isNoFailureOfTheService(End end) {
    Heddle.run(() -> {
      CircuitBreaker breaker = breaker(1);
      boolean[] up = {false};
      Pool<Item> pool =
          Pool.open(
              PoolOptions.<Item>of(() -> up[0] ? new Item(++made) : neverMade())
                  .withSize(0, 1)
                  .withCircuitBreaker(breaker));
      breaker.probe();
      Promise<Boolean> token = Heddle.promise();
      Coroutine<?> trial =
          Heddle.spawn(() ->
              catchThrowable(() -> {
                var _ = end == End.TOKEN ? pool.acquire(token.future()) : pool.acquire();
              }));
      settle();
      if (end == End.TOKEN) {
        token.complete(true);
      } else {
        trial.cancel("enough");
      }
      var _ = catchThrowable(trial::await);
      assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
      up[0] = true;
      pool.acquire().close();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  @ParameterizedTest
  @EnumSource
  @Tag("loop-360")
  void acquirerThatWasCancelledBefore_isNoFailureOfTheService(CircuitBreakerFaultTest.Form form) {
    Heddle.run(() -> {
      CircuitBreaker breaker = breaker(1);
      PoolOptions<Item> options =
          PoolOptions.of(() -> {
            form.call();
            return new Item(0);
          });
      Pool<Item> pool = Pool.open(options.withSize(0, 1).withCircuitBreaker(breaker));
      Coroutine<?> acquirer =
          Heddle.spawn(() -> {
            Heddle.current().cancel("enough");
            pool.acquire().close();
          });
      assertThat(catchThrowable(acquirer::await)).isNotNull();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      assertThat(breaker.info()).contains("0 of the last 1 calls failed");
    });
  }

  @ParameterizedTest
  @EnumSource
  @Tag("loop-360")
  void factoryThatReturnsAlthoughItsAcquirerWasCancelled_doesNotClose(
      CircuitBreakerFaultTest.Form form) {
    Heddle.run(() -> {
      CircuitBreaker breaker = breaker(1);
      PoolOptions<Item> options =
          PoolOptions.of(() -> {
            var _ = catchThrowable(form::call);
            return new Item(0);
          });
      Pool<Item> pool = Pool.open(options.withSize(0, 1).withCircuitBreaker(breaker));
      breaker.probe();
      Coroutine<?> trial = Heddle.spawn(() -> pool.acquire().close());
      settle();
      trial.cancel("enough");
      assertThatThrownBy(trial::await).isInstanceOf(Cancellation.class);
      assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
      pool.acquire().close(); // the trial is free
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  private static Item neverMade() throws IOException {
    try {
      Thread.sleep(Duration.ofDays(1));
      return new Item(0);
    } catch (InterruptedException e) {
      throw new IOException("interrupted", e);
    }
  }

  @Test
  @Tag("loop-360")
  void factoryThatMakesAnExceptionOfADeadline_hasNotRepliedInTime() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = breaker(1);
      Pool<Item> pool =
          Pool.open(
              PoolOptions.<Item>of(
                      () -> {
                        try {
                          Heddle.delay(Duration.ofDays(1));
                          return new Item(1);
                        } catch (Cancellation c) {
                          throw new IOException("gave up", c);
                        }
                      })
                  .withCircuitBreaker(breaker));
      assertThatThrownBy(() -> pool.acquire(Deadline.after(Duration.ofSeconds(1))))
          .hasRootCauseInstanceOf(Cancellation.class);
      assertThat(breaker.state()).isEqualTo(State.OPEN);
    });
  }

  // ---- what the pool makes by itself ----

  @Test
  @Tag("loop-362")
  void housekeeperWhileItIsOpen_makesNothing_andTheMinimumOnceItIsClosed() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = breaker(1);
      Pool<Item> pool = Pool.open(items(2, 3).withCircuitBreaker(breaker));
      pool.acquire().discard(); // opens it
      assertThat(made).isEqualTo(2);
      Heddle.delay(Duration.ofMinutes(10));
      assertThat(made).isEqualTo(2);
      assertThat(breaker.snapshot().refused()).isZero(); // callers are counted
      breaker.probe();
      Heddle.delay(Duration.ofMinutes(10));
      assertThat(made).isEqualTo(2); // and the trial is left to them
      breaker.reset();
      Heddle.delay(Duration.ofMinutes(1));
      assertThat(pool.size()).isEqualTo(2);
      pool.close();
    });
  }

  @Test
  @Tag("loop-362")
  void factoryThatFailsForTheHousekeeper_countsOnceEachTime() {
    try (Reports reports = new Reports()) {
      VirtualTime.run(() -> {
        CircuitBreaker breaker =
            new CircuitBreaker(
                CircuitBreakerOptions.defaults()
                    .withFailures(3, 3)
                    .withRecovery(RecoveryStrategy.manual()));
        boolean[] down = {false};
        Pool<Item> pool =
            Pool.open(
                PoolOptions.<Item>of(
                        () -> {
                          made++;
                          if (down[0]) {
                            throw new IOException("down");
                          }
                          return new Item(made);
                        })
                    .withSize(1, 1)
                    .withMaxLifetime(Duration.ofMinutes(1))
                    .withCircuitBreaker(breaker));
        down[0] = true;
        Heddle.delay(Duration.ofSeconds(61)); // it is too old now
        assertThat(made).isEqualTo(2);
        assertThat(breaker.snapshot().failures()).isEqualTo(1);
        Heddle.delay(Duration.ofDays(1));
        assertThat(breaker.state()).isEqualTo(State.OPEN);
        assertThat(made).isEqualTo(4);
        pool.close();
      });
      assertThat(reports.failures()).hasSize(3);
    }
  }

  @Test
  @Tag("loop-362")
  void poolThatIsOpenedWhileItIsOpen_doesNotAskTheService() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker = breaker(1);
      breaker.trip();
      assertThatThrownBy(() -> Pool.open(items(1, 2).withCircuitBreaker(breaker)))
          .isInstanceOf(ServiceUnavailableException.class);
      assertThat(made).isZero();
      breaker.probe();
      try (Pool<Item> pool = Pool.open(items(1, 2).withCircuitBreaker(breaker))) {
        assertThat(pool.idle()).isEqualTo(1);
      }
      assertThat(breaker.state()).isEqualTo(State.CLOSED); // its factory was the trial
    });
  }
}
