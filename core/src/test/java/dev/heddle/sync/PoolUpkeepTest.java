// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.PoolClosedException;
import dev.heddle.ServiceUnavailableException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.simulation.VirtualTime;
import dev.heddle.sync.CircuitBreaker.State;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// How a pool is closed, guarded by a circuit breaker, kept in order and observed, in virtual time.
@Timeout(300)
class PoolUpkeepTest extends PoolItems {
  // ---- closing ----

  @Test
  @Tag("loop-224")
  void close_failsWaitersAndDestroysNowOrAtTheRelease() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(1, 2));
      Lease<Item> lent = pool.acquire();
      Lease<Item> idle = pool.acquire();
      idle.close();
      Lease<Item> last = pool.acquire();
      Coroutine<?> given = Heddle.spawn(() -> catchThrowable(pool::acquire));
      Coroutine<?> waiting = Heddle.spawn(() -> catchThrowable(pool::acquire));
      settle();
      last.close(); // to the first waiter, which has not returned yet
      pool.close();
      pool.close();
      assertThat(Heddle.await(given)).isInstanceOf(PoolClosedException.class);
      assertThat(Heddle.await(waiting)).isInstanceOf(PoolClosedException.class);
      assertThat(pool.size()).isEqualTo(1);
      assertThat(lent.resource()).isNotNull();
      assertThat(pool.tryAcquire()).isNull();
      lent.close();
      assertThat(ended).isEqualTo(2);
      assertThat(pool.size()).isZero();
      assertThat(pool.isClosed()).isTrue();
      assertThatThrownBy(pool::acquire).isInstanceOf(PoolClosedException.class);
    });
  }

  @Test
  void close_whileAFactoryRuns_destroysWhatItMakes() {
    VirtualTime.run(() -> {
      Pool<Item> pool =
          Pool.open(
              PoolOptions.<Item>of(
                      () -> {
                        Heddle.delay(Duration.ofSeconds(1));
                        return new Item(++made);
                      })
                  .withDestroy(log::add));
      Coroutine<?> acquirer = Heddle.spawn(() -> catchThrowable(pool::acquire));
      settle();
      pool.close();
      assertThat(Heddle.await(acquirer)).isInstanceOf(PoolClosedException.class);
      assertThat(log).hasSize(1);
      assertThat(pool.size()).isZero();
    });
  }

  @Test
  @Tag("loop-225")
  void destroy_thatThrowsInClose_propagatesAndTheOthersAreDestroyed() {
    VirtualTime.run(() -> {
      Pool<Item> pool =
          Pool.open(
              PoolOptions.<Item>of(() -> new Item(++made))
                  .withSize(3, 3)
                  .withDestroy(item -> {
                    log.add(item);
                    if (item.number < 3) {
                      throw new IOException("item " + item.number);
                    }
                  }));
      Throwable thrown = catchThrowable(pool::close);
      assertThat(thrown).hasRootCauseInstanceOf(IOException.class);
      assertThat(log).hasSize(3);
      assertThat(pool.size()).isZero();
    });
  }

  @Test
  void close_byACoroutine_isNamedToAcquirersAndWaiters() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 1));
      var _ = pool.acquire();
      Coroutine<Throwable> waiter = Heddle.spawn(() -> catchThrowable(pool::acquire));
      settle();
      Heddle.await(Heddle.spawn("closer", pool::close));
      String closed =
          "the pool 'items' was closed by coroutine-3 'closer'; acquire before that, or open"
              + " another";
      assertThat(waiter.await()).hasMessage(closed);
      assertThatThrownBy(pool::acquire).hasMessage(closed);
    });
  }

  // ---- circuit breaker ----

  /// ACTIVE is CLOSED, INACTIVE is OPEN, RECOVERING is HALF_OPEN: the words of the field.
  @Test
  @Tag("loop-226")
  void breaker_thatIsOpen_refusesAndThatRecovers_allows() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker =
          new CircuitBreaker(
              CircuitBreakerOptions.defaults().withRecovery(RecoveryStrategy.manual()));
      Pool<Item> pool = Pool.open(items(1, 2).withCircuitBreaker(breaker));
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      breaker.trip();
      assertThatThrownBy(pool::acquire).isInstanceOf(ServiceUnavailableException.class);
      assertThat(pool.tryAcquire()).isNull();
      assertThat(pool.idle()).isEqualTo(1);
      breaker.probe();
      Lease<Item> trial = pool.acquire();
      assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
      assertThat(pool.tryAcquire()).isNull(); // none is idle
      trial.close();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      assertThat(pool.tryAcquire()).isNotNull();
    });
  }

  @Test
  void breaker_ofAPoolWhoseFactoryFails_opensAndRecoversByItself() {
    VirtualTime.run(() -> {
      boolean[] up = {false};
      CircuitBreaker breaker = new CircuitBreaker(CircuitBreakerOptions.defaults());
      Pool<Item> pool =
          Pool.open(
              PoolOptions.<Item>of(
                      () -> {
                        if (!up[0]) {
                          throw new IOException("down");
                        }
                        return new Item(++made);
                      })
                  .withCircuitBreaker(breaker));
      for (int i = 0; i < 5; i++) {
        assertThatThrownBy(pool::acquire).hasRootCauseMessage("down");
      }
      assertThatThrownBy(pool::acquire).isInstanceOf(ServiceUnavailableException.class);
      Heddle.delay(breaker.retryAfter());
      assertThatThrownBy(pool::acquire).hasRootCauseMessage("down"); // the trial
      assertThatThrownBy(pool::acquire).isInstanceOf(ServiceUnavailableException.class);
      up[0] = true;
      Heddle.delay(breaker.retryAfter());
      pool.acquire().close();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    });
  }

  @Test
  void breaker_thatOpensWhileManyWait_refusesThem() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker =
          new CircuitBreaker(CircuitBreakerOptions.defaults().withFailures(1, 1));
      Pool<Item> pool =
          Pool.open(
              PoolOptions.<Item>of(
                      () -> {
                        made++;
                        Heddle.delay(Duration.ofSeconds(1));
                        throw new IOException("down");
                      })
                  .withSize(0, 1)
                  .withCircuitBreaker(breaker));
      List<Coroutine<Throwable>> all = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        all.add(Heddle.spawn(() -> catchThrowable(pool::acquire)));
      }
      List<Throwable> thrown = all.stream().map(Coroutine::await).toList();
      assertThat(thrown.getFirst()).hasRootCauseMessage("down");
      assertThat(thrown.subList(1, 20)).allMatch(ServiceUnavailableException.class::isInstance);
      assertThat(made).isEqualTo(1);
      assertThat(pool.size()).isZero();
    });
  }

  @Test
  void breaker_countsADiscardedLeaseAndADeadlineInTheFactory_andNoCancellation() {
    VirtualTime.run(() -> {
      CircuitBreaker breaker =
          new CircuitBreaker(CircuitBreakerOptions.defaults().withFailures(2, 2));
      boolean[] slow = {false};
      Pool<Item> pool =
          Pool.open(
              PoolOptions.<Item>of(
                      () -> {
                        if (slow[0]) {
                          Heddle.delay(Duration.ofDays(1));
                        }
                        return new Item(++made);
                      })
                  .withSize(0, 1)
                  .withCircuitBreaker(breaker));
      pool.acquire().discard();
      slow[0] = true;
      Coroutine<?> cancelled = Heddle.spawn(() -> pool.run(_ -> {}));
      settle();
      cancelled.cancel("enough");
      settle();
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
      assertThatThrownBy(() -> pool.acquire(Deadline.after(Duration.ofSeconds(1))))
          .isInstanceOf(DeadlineException.class);
      assertThat(breaker.state()).isEqualTo(State.OPEN);
    });
  }

  // ---- upkeep ----

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("loop-228")
  @Tag("trap-11")
  void healthCheck_thatRejects_destroysTheIdleOneAndKeepsNothingAlive(boolean throwing) {
    VirtualTime.run(() -> {
      Pool<Item> pool =
          Pool.open(
              items(0, 3)
                  .withHealthCheck(Duration.ofSeconds(10), i -> throwing ? broken(i) : i.good));
      Lease<Item> one = pool.acquire();
      Lease<Item> two = pool.acquire();
      one.resource().good = false;
      one.close();
      two.close();
      Heddle.delay(Duration.ofSeconds(9));
      assertThat(pool.size()).isEqualTo(2);
      Heddle.delay(Duration.ofSeconds(2));
      assertThat(log).containsExactly("ended item 1");
      Lease<Item> left = pool.acquire();
      assertThat(left.resource().number).isEqualTo(2);
      left.resource().good = false; // lent: not checked
      Heddle.delay(Duration.ofSeconds(20));
      assertThat(pool.lent()).isEqualTo(1);
    }); // ends, although the health check would go on for ever
  }

  @Test
  @Tag("trap-11")
  void housekeeper_hidesNoDeadlock() {
    assertThatThrownBy(() ->
            VirtualTime.run(() -> {
              Pool<Item> pool =
                  Pool.open(items(0, 1).withHealthCheck(Duration.ofSeconds(1), _ -> true));
              var _ = pool.acquire();
              pool.acquire();
            }))
        .isInstanceOf(DeadlockError.class)
        .hasMessageContaining("a resource of the pool 'items'");
  }

  /// A deeply nested check fails like any other; the JVM's own failures end the loop.
  @Test
  @Tag("trap-23")
  void healthCheck_whereTheStackEnds_destroysTheResourceAndTheProgramGoesOn() {
    VirtualTime.run(() -> {
      Pool<Item> pool =
          Pool.open(
              items(0, 2).withHealthCheck(Duration.ofSeconds(10), item -> item.good || tooDeep()));
      Lease<Item> lease = pool.acquire();
      lease.resource().good = false;
      lease.close();
      Heddle.delay(Duration.ofSeconds(11));
      assertThat(log).containsExactly("ended item 1");
      Lease<Item> next = pool.acquire();
      next.resource().good = false;
      next.close();
      Heddle.delay(Duration.ofSeconds(10));
      assertThat(log).containsExactly("ended item 1", "ended item 2"); // it goes on, too
    });
  }

  // a real one would fill the log with its trace
  private static boolean tooDeep() {
    throw new StackOverflowError("too deep");
  }

  @Test
  void healthCheck_thatSuspends_keepsTheResourceOutOfReachAndServesAWaiterAfterwards() {
    VirtualTime.run(() -> {
      Pool<Item> pool =
          Pool.open(
              items(1, 1)
                  .withHealthCheck(
                      Duration.ofSeconds(10),
                      _ -> {
                        Heddle.delay(Duration.ofSeconds(5));
                        return true;
                      }));
      Heddle.delay(Duration.ofSeconds(11));
      assertThat(pool.tryAcquire()).isNull();
      assertThat(pool.size()).isEqualTo(1);
      assertThat(pool.acquire().resource().number).isEqualTo(1);
      assertThat(made).isEqualTo(1);
    });
  }

  /// The housekeeper has no use for an interrupt: only the end of the pool ends it.
  @Test
  void interruptOfTheHousekeeper_doesNotEndTheUpkeep() {
    VirtualTime.run(() -> {
      int[] checks = {0};
      var _ =
          Pool.open(
              items(1, 1)
                  .withHealthCheck(
                      Duration.ofSeconds(10),
                      _ -> {
                        checks[0]++;
                        Thread.currentThread().interrupt(); // its next wait finds that
                        return true;
                      }));
      Heddle.delay(Duration.ofSeconds(35));
      assertThat(checks[0]).isEqualTo(3);
    });
  }

  @Test
  void idle_longerThanItsLimit_isDestroyedDownToTheMinimum() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(1, 3).withMaxIdle(Duration.ofSeconds(10)));
      List<Lease<Item>> all = IntStream.range(0, 3).mapToObj(_ -> pool.acquire()).toList();
      all.forEach(Lease::close);
      Heddle.delay(Duration.ofSeconds(6));
      pool.acquire().close(); // that of the last release, item 3: used again
      Heddle.delay(Duration.ofSeconds(5));
      assertThat(pool.idle()).isEqualTo(1);
      assertThat(log).containsExactly("ended item 1", "ended item 2");
      Heddle.delay(Duration.ofDays(1));
      assertThat(pool.idle()).isEqualTo(1);
      assertThat(made).isEqualTo(3); // it was kept, not replaced
    });
  }

  @Test
  void resource_olderThanItsLifetime_isDestroyedAndTheMinimumIsMadeAgain() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(1, 2).withMaxLifetime(Duration.ofSeconds(10)));
      Lease<Item> lent = pool.acquire();
      Heddle.delay(Duration.ofSeconds(11));
      assertThat(ended).isZero(); // in use
      lent.close();
      assertThat(ended).isEqualTo(1);
      Heddle.delay(Duration.ofSeconds(31));
      assertThat(pool.size()).isEqualTo(1);
      int before = made;
      Heddle.delay(Duration.ofSeconds(11));
      assertThat(made).isGreaterThan(before); // the idle one was replaced
      assertThat(pool.size()).isEqualTo(1);
    });
  }

  // ---- leaks ----

  @Test
  void leak_isNamedInDumpAndInfo() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 1));
      Heddle.await(Heddle.spawn("forgetful", () -> pool.acquire().held()));
      Heddle.delay(Duration.ofSeconds(3));
      assertThat(pool.info())
          .contains("1 lent", "held for 3000 ms by", "'forgetful'", "ended without releasing it");
      assertThat(Heddle.dump().text())
          .contains("Pool 'items': 1 of at most 1", "1 acquired, 0 timed out", "forgetful");
      assertThat(Heddle.dump().json()).contains("\"heldMillis\": 3000");
      Coroutine<?> waiter = Heddle.spawn("waiter", () -> pool.acquire());
      settle();
      assertThat(Heddle.dump().text())
          .contains("a resource of the pool 'items', which has lent 1 of at most 1, one to");
      pool.leases().getFirst().close(); // an operator's remedy
      Heddle.await(waiter);
      pool.close();
      assertThat(Heddle.dump().parts()).isEmpty();
    });
  }

  @Test
  void leakThreshold_marksTheLeaseOnce() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 1).withLeakThreshold(Duration.ofSeconds(10)));
      Lease<Item> lease = pool.acquire();
      Heddle.delay(Duration.ofSeconds(9));
      assertThat(lease.leakReported).isFalse();
      Heddle.delay(Duration.ofSeconds(2));
      assertThat(lease.leakReported).isTrue();
      lease.close();
      assertThat(pool.idle()).isEqualTo(1);
    });
  }

  @Test
  void deadlock_ofTwoPools_namesBothSides() {
    assertThatThrownBy(() ->
            VirtualTime.run(() -> {
              Pool<Item> left = Pool.open(items(0, 1).withName("left"));
              Pool<Item> right = Pool.open(items(0, 1).withName("right"));
              Heddle.scope(() -> {
                Heddle.launch("one", () -> left.run(_ -> both(right)));
                Heddle.launch("two", () -> right.run(_ -> both(left)));
              });
            }))
        .isInstanceOf(DeadlockError.class)
        .hasMessageContaining("the pool 'left'")
        .hasMessageContaining("the pool 'right'")
        .hasMessageContaining("held by");
  }

  private static void both(Pool<Item> other) {
    Heddle.yieldNow();
    other.run(_ -> {});
  }

  @Test
  void pool_ofAnotherLoop_isRefused() {
    Pool<Item> pool = Heddle.run(() -> Pool.open(items(0, 1)));
    Heddle.run(() ->
        assertThatThrownBy(pool::acquire)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("belongs to another loop"));
  }
}
