// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import dev.heddle.simulation.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// In virtual time: nothing here waits for a clock. [PoolHooksTest] and [PoolUpkeepTest] go on.
@Timeout(300)
class PoolTest extends PoolItems {
  // ---- opening ----

  @Test
  @Tag("loop-212")
  void open_makesTheMinimumOfResources() {
    VirtualTime.run(() -> {
      try (Pool<Item> pool = Pool.open(items(3, 5))) {
        assertThat(made).isEqualTo(3);
        assertThat(pool.idle()).isEqualTo(3);
        assertThat(pool.size()).isEqualTo(3);
      }
      assertThat(ended).isEqualTo(3);
    });
  }

  /// The exception propagates, so nobody gets the pool: what was made is destroyed.
  @Test
  @Tag("loop-212")
  void open_whenTheFactoryFails_stopsThrowsAndDestroysWhatWasMade() {
    VirtualTime.run(() -> {
      PoolOptions<Item> options =
          PoolOptions.<Item>of(
                  () -> {
                    if (++made == 3) {
                      throw new IOException("the third");
                    }
                    return new Item(made);
                  })
              .withSize(5, 5)
              .withDestroy(log::add);
      assertThatThrownBy(() -> Pool.open(options)).hasRootCauseMessage("the third");
      assertThat(made).isEqualTo(3);
      assertThat(log).hasSize(2);
      assertThat(Heddle.dump().parts()).isEmpty();
    });
  }

  /// Past the shutdown deadline no coroutine can be started.
  @Test
  void open_whenTheHousekeeperCannotStart_throwsAndDestroysWhatWasMade() {
    Throwable[] thrown = new Throwable[1];
    int[] parts = {-1};
    Action main =
        () -> {
          Heddle.shutdown(Duration.ofSeconds(1));
          try {
            Heddle.shield(() -> Heddle.delay(Duration.ofDays(1)));
          } catch (Cancellation _) {
            thrown[0] = catchThrowable(() -> Pool.open(items(2, 2)));
            parts[0] = Heddle.dump().parts().size();
          }
        };
    var _ = catchThrowable(() -> VirtualTime.run(main));
    assertThat(thrown[0]).isNotNull();
    assertThat(made).isEqualTo(2);
    assertThat(ended).isEqualTo(2);
    assertThat(parts[0]).isZero();
  }

  @Test
  void options_thatMakeNoSense_areRefused() {
    PoolOptions<Item> options = items(0, 1);
    assertThatThrownBy(() -> options.withSize(-1, 1)).hasMessageContaining("0 <= min");
    assertThatThrownBy(() -> options.withSize(0, 0)).hasMessageContaining("0 <= min");
    assertThatThrownBy(() -> options.withSize(3, 2)).hasMessageContaining("0 <= min");
    assertThatThrownBy(() -> options.withMaxIdle(Duration.ZERO)).hasMessageContaining("positive");
    assertThatThrownBy(() -> options.withMaxLifetime(Duration.ZERO))
        .hasMessageContaining("positive");
    assertThatThrownBy(() -> options.withLeakThreshold(Duration.ZERO))
        .hasMessageContaining("positive");
    assertThatThrownBy(() -> options.withHealthCheck(Duration.ZERO, _ -> true))
        .hasMessageContaining("positive");
    assertThatThrownBy(() -> Pool.open(options)).hasMessageContaining("Heddle.run");
  }

  // ---- acquiring ----

  @Test
  @Tag("loop-213")
  void acquire_beyondTheMaximum_waits() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 1));
      Lease<Item> lease = pool.acquire();
      assertThat(pool.tryAcquire()).isNull();
      assertThatThrownBy(() -> pool.acquire(Deadline.after(Duration.ofSeconds(1))))
          .isInstanceOf(DeadlineException.class);
      Promise<String> token = Heddle.promise();
      token.complete("enough");
      assertThatThrownBy(() -> pool.acquire(token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(pool.waiting()).isZero();

      Coroutine<Lease<Item>> waiter = acquirer(pool, "w");
      settle();
      assertThat(waiter.isDone()).isFalse();
      lease.close();
      waiter.await().close();
      assertThat(log).containsExactly("w got item 1");
      assertThat(pool.tryAcquire()).isNotNull();
    });
  }

  @Test
  void acquirer_thatMakesAResource_mayBeOvertaken() {
    VirtualTime.run(() -> {
      PoolOptions<Item> slow =
          PoolOptions.of(() -> {
            Heddle.delay(Duration.ofSeconds(1));
            return new Item(++made);
          });
      Pool<Item> pool = Pool.open(slow.withSize(0, 2));
      Lease<Item> lease = pool.acquire();
      var first = acquirer(pool, "first");
      var second = acquirer(pool, "second");
      settle();
      lease.close();
      second.await();
      first.await();
      assertThat(log).containsExactly("second got item 1", "first got item 2");
    });
  }

  @Test
  @Tag("loop-214")
  @Tag("trap-25")
  void factory_thatSuspends_isNeverCalledForMoreThanTheMaximum() {
    VirtualTime.run(() -> {
      int[] now = {0, 0};
      Pool<Item> pool =
          Pool.open(
              PoolOptions.<Item>of(
                      () -> {
                        now[1] = Math.max(now[1], ++now[0]);
                        Heddle.delay(Duration.ofSeconds(1));
                        return new Item(++made);
                      })
                  .withSize(0, 3));
      Heddle.scope(() -> {
        for (int i = 0; i < 10; i++) {
          Heddle.launch("user", () -> pool.run(_ -> Heddle.yieldNow()));
        }
      });
      assertThat(made).isEqualTo(3);
      assertThat(now[1]).isEqualTo(3);
      assertThat(pool.size()).isEqualTo(3);
    });
  }

  @Test
  @Tag("loop-218")
  @Tag("trap-25")
  void factory_thatFails_throwsInItsAcquirerAndTheNextWaiterGetsThePlace() {
    VirtualTime.run(() -> {
      Pool<Item> pool =
          Pool.open(
              PoolOptions.<Item>of(
                      () -> {
                        int number = ++made;
                        Heddle.delay(Duration.ofSeconds(1));
                        if (number == 1) {
                          throw new IOException("the first");
                        }
                        return new Item(number);
                      })
                  .withSize(0, 1));
      Heddle.supervise(() -> {
        Coroutine<Lease<Item>> first = acquirer(pool, "first");
        Coroutine<Lease<Item>> second = acquirer(pool, "second");
        Coroutine<Lease<Item>> third = acquirer(pool, "third");
        assertThatThrownBy(first::await).hasRootCauseMessage("the first");
        second.await().close();
        third.await().close();
      });
      assertThat(log).containsExactly("second got item 2", "third got item 2");
      assertThat(pool.size()).isEqualTo(1);
    });
  }

  @Test
  void acquire_whoseDeadlineRunsOutInTheFactory_throwsAndFreesThePlace() {
    VirtualTime.run(() -> {
      Pool<Item> pool =
          Pool.open(
              PoolOptions.<Item>of(
                      () -> {
                        Heddle.delay(Duration.ofSeconds(5));
                        return new Item(++made);
                      })
                  .withSize(0, 1));
      assertThatThrownBy(() -> pool.acquire(Deadline.after(Duration.ofSeconds(1))))
          .isInstanceOf(DeadlineException.class);
      assertThat(pool.size()).isZero();
      Promise<String> token = Heddle.promise();
      Heddle.launch("token", () -> token.complete("enough"));
      assertThatThrownBy(() -> pool.acquire(token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(pool.size()).isZero();
      pool.acquire().close();
      assertThat(made).isEqualTo(1);
      assertThat(pool.acquire(expired()).resource().number).isEqualTo(1); // needs no wait
    });
  }

  private static Deadline expired() {
    Deadline deadline = Deadline.after(Duration.ofNanos(1));
    Heddle.delay(Duration.ofSeconds(1));
    return deadline;
  }

  @Test
  void factory_thatReturnsThoughItsDeadlineHasRunOut_leavesTheResourceIdle() {
    VirtualTime.run(() -> {
      Pool<Item> pool =
          Pool.open(
              PoolOptions.<Item>of(
                      () -> {
                        try {
                          Heddle.delay(Duration.ofSeconds(5));
                        } catch (Cancellation _) {
                          log.add("cancelled");
                        }
                        return new Item(++made);
                      })
                  .withSize(0, 1));
      assertThatThrownBy(() -> pool.acquire(Deadline.after(Duration.ofSeconds(1))))
          .isInstanceOf(DeadlineException.class);
      assertThat(log).containsExactly("cancelled");
      assertThat(pool.idle()).isEqualTo(1);
      assertThat(pool.acquire().resource().number).isEqualTo(1);
    });
  }

  @Test
  void factory_thatReturnsNull_isNamed() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(PoolOptions.<Item>of(() -> nothing()).withName("items"));
      assertThatThrownBy(pool::acquire)
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining("the factory of the pool 'items' returned null");
      assertThat(pool.size()).isZero();
    });
  }

  @SuppressWarnings("NullAway") // what a program without its checks may do
  private static Item nothing() {
    return null;
  }

  // ---- trying ----

  @Test
  void tryAcquire_withoutAnIdleResource_makesNone() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 2));
      assertThat(pool.tryAcquire()).isNull();
      assertThat(made).isZero();
      pool.acquire().close();
      try (Lease<Item> lease = Objects.requireNonNull(pool.tryAcquire())) {
        assertThat(lease.resource().number).isEqualTo(1);
        assertThat(pool.lent()).isEqualTo(1);
        assertThat(pool.tryAcquire()).isNull(); // although there is room for another one
      }
    });
  }

  @Test
  void tryAcquire_ofAResourceThatMustBeChecked_isNullAndChecksNothing() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(1, 1).withBeforeAcquire(log::add));
      assertThat(pool.tryAcquire()).isNull();
      assertThat(log).isEmpty();
      assertThat(pool.idle()).isEqualTo(1);
      pool.acquire().close();
      assertThat(log).hasSize(1);
    });
  }

  // ---- order ----

  @Test
  @Tag("loop-220")
  @Tag("trap-3")
  void workers_moreThanResources_areServedRoundAfterRound() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 1));
      Heddle.scope(() -> {
        for (int worker = 0; worker < 6; worker++) {
          int self = worker;
          Heddle.launch(
              "worker",
              () -> {
                for (int round = 0; round < 5; round++) {
                  pool.run(_ -> {
                    log.add(self);
                    Heddle.yieldNow();
                  });
                }
              });
        }
      });
      List<Object> rounds = new ArrayList<>();
      IntStream.range(0, 5).forEach(_ -> IntStream.range(0, 6).forEach(rounds::add));
      assertThat(log).containsExactlyElementsOf(rounds);
    });
  }

  /// A lease takes a second on average, so that 5 resources serve 5 coroutines in a second. Of 16
  /// coroutines that come back at once, 5 are served, and 11 wait: ideally for 11/5 of a second.
  @ParameterizedTest
  @ValueSource(ints = {0, 500})
  @Tag("trap-26")
  void worstWait_of16CoroutinesOver5Resources_isAtMostThreeTimesTheIdeal(int spreadMillis) {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 5));
      Random random = new Random(spreadMillis);
      long[] worst = {0};
      Map<Integer, Integer> served = new HashMap<>();
      Heddle.scope(() -> {
        for (int i = 0; i < 16; i++) {
          int self = i;
          Heddle.launch(
              "worker",
              () -> {
                for (int round = 0; round < 100; round++) {
                  long asked = pool.now();
                  pool.run(_ -> {
                    worst[0] = Math.max(worst[0], pool.now() - asked);
                    served.merge(self, 1, Integer::sum);
                    int more = random.nextInt(-spreadMillis, spreadMillis + 1);
                    Heddle.delay(Duration.ofMillis(1_000 + more));
                  });
                }
              });
        }
      });
      assertThat(served.values()).hasSize(16).containsOnly(100);
      Duration ideal = Duration.ofSeconds(16 - 5).dividedBy(5);
      assertThat(Duration.ofNanos(worst[0])).isBetween(ideal, ideal.multipliedBy(3));
    });
  }

  // ---- releasing ----

  @Test
  void close_ofALeaseTwice_releasesOnce() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 2));
      Lease<Item> lease = pool.acquire();
      lease.close();
      lease.close();
      lease.discard();
      assertThat(pool.idle()).isEqualTo(1);
      assertThat(lease.isReleased()).isTrue();
      assertThatThrownBy(lease::resource).hasMessageContaining("was closed; acquire another one");
    });
  }

  @Test
  void use_whoseBodyFails_returnsTheResource() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 1));
      assertThatThrownBy(() ->
              pool.use(_ -> {
                throw new IOException("body");
              }))
          .hasRootCauseMessage("body");
      assertThat(pool.idle()).isEqualTo(1);
      assertThat(pool.<Integer>use(item -> item.number)).isEqualTo(1);
    });
  }

  @Test
  void use_withABound_limitsTheWaitAndNotTheBody() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 1));
      Duration second = Duration.ofSeconds(1);
      int number =
          pool.use(
              item -> {
                Heddle.delay(Duration.ofSeconds(5));
                return item.number;
              },
              Deadline.after(second));
      assertThat(number).isEqualTo(1);
      Lease<Item> lease = pool.acquire();
      assertThatThrownBy(() -> pool.use(log::add, Deadline.after(second)))
          .isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> pool.run(log::add, Deadline.after(second)))
          .isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> pool.use(log::add, fired()))
          .isInstanceOf(WaitCancelledException.class);
      assertThatThrownBy(() -> pool.run(log::add, fired()))
          .isInstanceOf(WaitCancelledException.class);
      lease.close();
      assertThat(pool.<Boolean>use(log::add, fired())).isTrue(); // needs no wait
      pool.run(log::add, fired());
      pool.run(log::add, Deadline.after(second));
      assertThat(log).hasSize(3);
      assertThat(pool.idle()).isEqualTo(1);
    });
  }

  private static Future<String> fired() {
    Promise<String> token = Heddle.promise();
    token.complete("enough");
    return token.future();
  }

  // ---- reservations ----

  @Test
  @Tag("loop-221")
  @Tag("trap-1")
  void waiter_givenAResourceAndCancelledBeforeItRuns_handsItOn() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 1));
      Lease<Item> lease = pool.acquire();
      Coroutine<Lease<Item>> first = acquirer(pool, "first");
      Coroutine<Lease<Item>> second = acquirer(pool, "second");
      settle();
      lease.close();
      first.cancel("changed its mind");
      Lease<Item> handedOn = second.await();
      assertThat(log).containsExactly("second got item 1");

      Coroutine<Lease<Item>> third = acquirer(pool, "third");
      settle();
      handedOn.close();
      third.cancel("changed its mind");
      settle();
      assertThat(pool.idle()).isEqualTo(1); // with none: idle again
      assertThat(made).isEqualTo(1);
    });
  }

  @Test
  @Tag("trap-1")
  @Tag("trap-25")
  void waiter_givenAnEmptyPlaceAndCancelledBeforeItRuns_handsItOn() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 1));
      Lease<Item> lease = pool.acquire();
      Coroutine<Lease<Item>> first = acquirer(pool, "first");
      Coroutine<Lease<Item>> second = acquirer(pool, "second");
      settle();
      lease.discard();
      first.cancel("changed its mind");
      second.await().discard();
      assertThat(log).contains("second got item 2");
      assertThat(pool.size()).isZero();
    });
  }

  @Test
  @Tag("loop-222")
  @Tag("trap-2")
  void resource_givenToAWaiter_isOutOfReachOfOthers() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 2));
      Lease<Item> one = pool.acquire();
      Lease<Item> two = pool.acquire();
      Coroutine<Lease<Item>> waiter = acquirer(pool, "w");
      settle();
      one.close();
      assertThat(pool.tryAcquire()).isNull();
      two.close(); // beyond what is reserved
      Lease<Item> surplus = Objects.requireNonNull(pool.tryAcquire());
      assertThat(surplus.resource().number).isEqualTo(2);
      assertThat(waiter.await().resource().number).isEqualTo(1);
    });
  }

  @Test
  @Tag("loop-229")
  void manyResources_allLentAndReleased_areAllIdle() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 15));
      List<Lease<Item>> all = IntStream.range(0, 15).mapToObj(_ -> pool.acquire()).toList();
      assertThat(pool.lent()).isEqualTo(15);
      all.forEach(Lease::close);
      assertThat(pool.idle()).isEqualTo(15);
      assertThat(pool.lent()).isZero();
    });
  }
}
