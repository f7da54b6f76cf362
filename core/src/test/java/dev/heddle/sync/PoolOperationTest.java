// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.observe.PoolSnapshot;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What those need who operate a program with a pool: a bound for each acquire, numbers, and the
/// eviction of resources after a failover.
@Timeout(300)
class PoolOperationTest extends PoolItems {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  @Tag("loop-340")
  void acquireTimeout_boundsEachAcquireThatHasNoBoundOfItsOwn() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 1).withAcquireTimeout(SECOND));
      Lease<Item> lease = pool.acquire();
      Heddle.delay(SECOND.multipliedBy(2)); // it bounds the acquire, not the lease
      assertThatThrownBy(pool::acquire)
          .isInstanceOf(DeadlineException.class)
          .hasMessageContaining("lent 1 of at most 1");
      assertThatThrownBy(() -> pool.run(log::add)).isInstanceOf(DeadlineException.class);
      assertThat(pool.snapshot().timedOut()).isEqualTo(2);

      Coroutine<Lease<Item>> patient =
          Heddle.spawn(() -> pool.acquire(Deadline.after(Duration.ofHours(1))));
      Promise<String> token = Heddle.promise();
      Coroutine<Lease<Item>> bounded = Heddle.spawn(() -> pool.acquire(token.future()));
      Heddle.delay(Duration.ofMinutes(1));
      assertThat(List.of(patient.isDone(), bounded.isDone())).containsOnly(false);
      lease.close();
      patient.await().close();
      bounded.await().close();
    });
  }

  @Test
  @Tag("loop-340")
  void acquireTimeout_boundsTheFactory() {
    VirtualTime.run(() -> {
      PoolOptions<Item> slow =
          PoolOptions.of(() -> {
            Heddle.delay(Duration.ofHours(1));
            return new Item(++made);
          });
      Pool<Item> pool = Pool.open(slow.withAcquireTimeout(SECOND));
      assertThatThrownBy(pool::acquire).isInstanceOf(DeadlineException.class);
      assertThat(pool.size()).isZero();
      assertThat(pool.snapshot().timedOut()).isOne();
    });
  }

  @Test
  void snapshot_countsWhatHappened() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(1, 2));
      Lease<Item> first = pool.acquire();
      Lease<Item> second = pool.acquire();
      assertThatThrownBy(() -> pool.acquire(Deadline.after(SECOND)))
          .isInstanceOf(DeadlineException.class);
      first.discard();
      second.close();
      assertThat(pool.tryAcquire()).isNotNull();
      PoolSnapshot snapshot = pool.snapshot();
      assertThat(snapshot.acquired()).isEqualTo(3);
      assertThat(snapshot.timedOut()).isOne();
      assertThat(snapshot.created()).isEqualTo(2);
      assertThat(snapshot.destroyed()).isOne();
      assertThat(snapshot.json()).contains("\"acquired\": 3");
    });
  }

  /// A deadline of the factory's own is a failure of the factory.
  @Test
  void snapshot_countsNoDeadlineOfTheFactory() {
    VirtualTime.run(() -> {
      PoolOptions<Item> options =
          PoolOptions.of(() ->
              Heddle.withTimeout(
                  SECOND,
                  () -> {
                    Heddle.delay(Duration.ofHours(1));
                    return new Item(++made);
                  }));
      Pool<Item> pool = Pool.open(options.withAcquireTimeout(Duration.ofMinutes(1)));
      assertThatThrownBy(pool::acquire).isInstanceOf(DeadlineException.class);
      assertThat(pool.snapshot().timedOut()).isZero();
    });
  }

  @Test
  @Tag("loop-341")
  void evictIdle_destroysIdleOnesNow_andLentOnesWhenTheyAreReleased() {
    VirtualTime.run(() -> {
      Pool<Item> pool = Pool.open(items(0, 3));
      Lease<Item> lent = pool.acquire();
      pool.acquire().close();
      pool.evictIdle();
      assertThat(log).containsExactly("ended item 2");
      assertThat(pool.size()).isOne();
      lent.close();
      assertThat(log).containsExactly("ended item 2", "ended item 1");
      pool.acquire().close();
      pool.acquire().close(); // a new one is kept
      assertThat(made).isEqualTo(3);
      assertThat(pool.idle()).isOne();
    });
  }

  @Test
  @Tag("loop-341")
  void evictIdle_duringAHook_sparesNoResourceOfBefore() {
    VirtualTime.run(() -> {
      Promise<String> slow = Heddle.promise();
      Pool<Item> pool =
          Pool.open(
              items(0, 1)
                  .withBeforeRelease(_ -> {
                    slow.future().await();
                    return true;
                  }));
      Coroutine<?> releaser = Heddle.spawn(() -> pool.acquire().close());
      Coroutine<Lease<Item>> waiter = acquirer(pool, "waiter");
      settle();
      pool.evictIdle();
      slow.complete("done");
      releaser.await();
      assertThat(waiter.await().resource().number).isEqualTo(2);
      assertThat(log).containsExactly("ended item 1", "waiter got item 2");
    });
  }

  @Test
  @Tag("loop-341")
  void evictIdle_whileDestroySuspends_lendsNoneOfThem() {
    VirtualTime.run(() -> {
      PoolOptions<Item> options =
          PoolOptions.<Item>of(() -> new Item(++made))
              .withSize(2, 2)
              .withDestroy(item -> {
                Heddle.delay(SECOND);
                log.add("ended " + item);
              });
      Pool<Item> pool = Pool.open(options);
      Coroutine<?> evictor = Heddle.spawn(pool::evictIdle);
      settle();
      assertThat(pool.acquire().resource().number).isEqualTo(3);
      evictor.await();
      assertThat(log).hasSize(2);
      assertThat(pool.size()).isOne();
    });
  }
}
