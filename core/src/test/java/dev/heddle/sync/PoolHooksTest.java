// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Promise;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The hooks of a pool: they reject resources, end them, suspend and are cancelled.
@Timeout(300)
class PoolHooksTest extends PoolItems {
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("loop-216")
  void beforeAcquire_thatRejects_destroysAndTheNextOrANewOneIsUsed(boolean throwing) {
    VirtualTime.run(() -> {
      Pool<Item> pool =
          Pool.open(items(2, 2).withBeforeAcquire(i -> throwing ? broken(i) : i.good));
      Lease<Item> first = pool.acquire();
      Lease<Item> second = pool.acquire();
      second.resource().good = false;
      first.close();
      second.close(); // in front
      Lease<Item> next = pool.acquire();
      assertThat(next.resource()).isSameAs(itemOf(1, next));
      assertThat(pool.size()).isEqualTo(1);
      next.resource().good = false;
      next.close();
      Lease<Item> fresh = pool.acquire();
      assertThat(fresh.resource().number).isEqualTo(3);
      assertThat(ended).isEqualTo(2);
      assertThat(pool.size()).isEqualTo(1);
    });
  }

  // the idle one that was made earlier or later: whichever was not the broken one
  private static Item itemOf(int atLeast, Lease<Item> lease) {
    assertThat(lease.resource().good).isTrue();
    assertThat(lease.resource().number).isGreaterThanOrEqualTo(atLeast);
    return lease.resource();
  }

  @Test
  @Tag("loop-216")
  void beforeAcquire_ofAFreshOne_isNotAsked() {
    VirtualTime.run(() -> {
      Pool<Item> pool =
          Pool.open(
              items(0, 1)
                  .withBeforeAcquire(i -> {
                    log.add("checked " + i);
                    return true;
                  }));
      pool.acquire().close();
      assertThat(log).isEmpty();
      pool.acquire().close();
      assertThat(log).containsExactly("checked item 1");
    });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("loop-217")
  void beforeRelease_thatRejects_destroysAndAWaiterMakesANewOne(boolean throwing) {
    VirtualTime.run(() -> {
      Pool<Item> pool =
          Pool.open(items(0, 1).withBeforeRelease(i -> throwing ? broken(i) : i.good));
      Lease<Item> first = pool.acquire();
      Coroutine<Lease<Item>> waiter = acquirer(pool, "w");
      settle();
      first.resource().good = false;
      first.close();
      Lease<Item> second = waiter.await();
      assertThat(log).containsExactly("ended item 1", "w got item 2");
      second.resource().good = false;
      second.close();
      assertThat(pool.size()).isZero();
      pool.acquire().close();
      assertThat(pool.idle()).isEqualTo(1);
    });
  }

  @Test
  @Tag("trap-25")
  void destroy_thatSuspends_countsUntilItHasEnded() {
    VirtualTime.run(() -> {
      Pool<Item> pool =
          Pool.open(
              PoolOptions.<Item>of(() -> new Item(++made))
                  .withSize(0, 1)
                  .withDestroy(_ -> Heddle.delay(Duration.ofSeconds(1))));
      Lease<Item> lease = pool.acquire();
      Coroutine<?> releaser = Heddle.spawn(lease::discard);
      settle();
      assertThat(pool.size()).isEqualTo(1);
      assertThat(pool.tryAcquire()).isNull();
      Coroutine<Lease<Item>> waiter = acquirer(pool, "w");
      Heddle.await(releaser);
      assertThat(waiter.await().resource().number).isEqualTo(2);
    });
  }

  @Test
  void hook_thatIsCancelled_destroysAndThrowsOn() {
    VirtualTime.run(() -> {
      Pool<Item> pool =
          Pool.open(
              items(0, 1)
                  .withBeforeRelease(_ -> {
                    Heddle.delay(Duration.ofDays(1));
                    return true;
                  }));
      Coroutine<?> user = Heddle.spawn(() -> pool.run(_ -> log.add("used")));
      settle();
      user.cancel("enough");
      assertThat(catchThrowable(user::await)).isInstanceOf(Cancellation.class);
      assertThat(log).containsExactly("used", "ended item 1");
      assertThat(pool.size()).isZero();
    });
  }

  /// A wait in the JDK that a cancellation ends throws an InterruptedException, which a check must
  /// not turn into a rejected resource alone.
  @Test
  @Tag("trap-17")
  void check_whoseWaitInTheJdkIsCancelled_doesNotSwallowThat() {
    Heddle.run(() -> {
      Promise<Boolean> sleeps = Heddle.promise();
      Pool<Item> pool =
          Pool.open(
              items(0, 1)
                  .withBeforeAcquire(_ -> {
                    sleeps.complete(true);
                    Thread.sleep(Duration.ofDays(1));
                    return true;
                  }));
      pool.acquire().close();
      Coroutine<?> user = Heddle.spawn(() -> pool.run(_ -> log.add("used")));
      sleeps.future().await();
      user.cancel("enough");
      assertThat(catchThrowable(user::await)).isInstanceOf(Cancellation.class);
      assertThat(log).containsExactly("ended item 1");
      assertThat(pool.size()).isZero();
    });
  }
}
