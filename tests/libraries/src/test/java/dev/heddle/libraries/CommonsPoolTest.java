// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static dev.heddle.libraries.Watched.assertOnlyTheyWait;
import static dev.heddle.libraries.Watched.assertUndisturbed;
import static dev.heddle.libraries.Watched.crowd;
import static dev.heddle.libraries.Watched.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Promise;
import dev.heddle.observe.HoldReport;
import dev.heddle.observe.LoopReport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.pool2.BaseKeyedPooledObjectFactory;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericKeyedObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Commons Pool, the pool under Jedis and DBCP: it waits in a deque of its own, with a lock and
/// conditions of the JDK's; and it spins where no `maxWait` is set.
@Tag("T16")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CommonsPoolTest {
  private static final Duration A_DAY = Duration.ofDays(1);

  /// Makes objects, each only when `released` lets it.
  private static final class HeldFactory extends BasePooledObjectFactory<StringBuilder> {
    final CountDownLatch released = new CountDownLatch(1);
    final AtomicInteger entered = new AtomicInteger();

    @Override
    public StringBuilder create() throws InterruptedException {
      entered.incrementAndGet();
      released.await();
      return new StringBuilder();
    }

    @Override
    public PooledObject<StringBuilder> wrap(StringBuilder object) {
      return new DefaultPooledObject<>(object);
    }
  }

  private static GenericObjectPool<StringBuilder> poolOf(int objects, HeldFactory factory) {
    GenericObjectPool<StringBuilder> pool = new GenericObjectPool<>(factory);
    pool.setMaxTotal(objects);
    pool.setMaxWait(A_DAY); // without it the pool spins, see the last test
    return pool;
  }

  private static HeldFactory freeFactory() {
    HeldFactory factory = new HeldFactory();
    factory.released.countDown();
    return factory;
  }

  @Test
  void borrows_of100CoroutinesFrom4Objects_suspendOnlyThem() {
    Watched.run(() -> {
      try (GenericObjectPool<StringBuilder> pool = poolOf(4, freeFactory())) {
        Promise<Boolean> released = Heddle.promise("released");
        int[] inUse = {0, 0};
        List<Coroutine<Integer>> borrowers =
            crowd(
                100,
                () -> {
                  StringBuilder object = pool.borrowObject();
                  inUse[1] = Math.max(inUse[1], ++inUse[0]);
                  released.future().await();
                  inUse[0]--;
                  pool.returnObject(object);
                  return 1;
                });
        assertOnlyTheyWait(borrowers, () -> pool.getNumWaiters() == 96);
        released.complete(true);
        assertThat(borrowers.stream().mapToInt(Coroutine::await).sum()).isEqualTo(100);
        assertThat(inUse[1]).isEqualTo(4);
        assertThat(pool.getNumActive()).isZero();
      }
    });
  }

  @Test
  void borrow_whileAnotherCoroutineMakesTheOnlyObject_suspendsOnlyTheBorrowers() {
    HeldFactory factory = new HeldFactory();
    Watched.run(() -> {
      try (GenericObjectPool<StringBuilder> pool = poolOf(1, factory)) {
        List<Coroutine<Integer>> borrowers =
            crowd(
                3,
                () -> {
                  pool.returnObject(pool.borrowObject());
                  return 1;
                });
        assertOnlyTheyWait(
            borrowers,
            () ->
                factory.entered.get() == 1 && borrowers.stream().allMatch(Coroutine::isSuspended));
        factory.released.countDown();
        assertThat(borrowers.stream().mapToInt(Coroutine::await).sum()).isEqualTo(3);
        assertThat(factory.entered).hasValue(1);
      }
    });
  }

  @Test
  void keyedPool_withOneObjectAKey_letsAsManyInAsItHas() {
    var factory =
        new BaseKeyedPooledObjectFactory<Integer, StringBuilder>() {
          @Override
          public StringBuilder create(Integer key) {
            return new StringBuilder();
          }

          @Override
          public PooledObject<StringBuilder> wrap(StringBuilder object) {
            return new DefaultPooledObject<>(object);
          }
        };
    Watched.run(() -> {
      try (var pool = new GenericKeyedObjectPool<>(factory)) {
        pool.setMaxTotalPerKey(1);
        pool.setMaxTotal(3);
        pool.setMaxWait(A_DAY);
        Promise<Boolean> released = Heddle.promise("released");
        int[] next = {0};
        List<Coroutine<Integer>> borrowers =
            crowd(
                60,
                () -> {
                  int key = next[0]++ % 5;
                  StringBuilder object = pool.borrowObject(key);
                  released.future().await();
                  pool.returnObject(key, object);
                  return 1;
                });
        assertOnlyTheyWait(borrowers, () -> pool.getNumWaiters() == 57);
        released.complete(true);
        assertThat(borrowers.stream().mapToInt(Coroutine::await).sum()).isEqualTo(60);
      }
    });
  }

  @Test
  void borrow_thatIsCancelled_leavesNoWaiterAndAPoolThatCanBeUsed() {
    Watched.run(() -> {
      try (GenericObjectPool<StringBuilder> pool = poolOf(1, freeFactory())) {
        StringBuilder only = pool.borrowObject();
        assertThatThrownBy(
                () -> Watched.cutWhen(() -> pool.getNumWaiters() == 1, pool::borrowObject))
            .isInstanceOf(WaitCancelledException.class);
        assertThat(pool.getNumWaiters()).isZero();
        assertUndisturbed();
        pool.returnObject(only);
        assertThat(pool.borrowObject()).isSameAs(only);
      }
    });
  }

  /// A thread makes the only object and a coroutine asks for one meanwhile. Were it a coroutine of
  /// the same loop that makes it, it would never go on.
  @Test
  void borrow_withoutMaxWaitWhileTheObjectIsMade_holdsTheLoopAndTheWatchdogNamesThePool()
      throws Exception {
    HeldFactory factory = new HeldFactory();
    CompletableFuture<HoldReport> reported = new CompletableFuture<>();
    try (GenericObjectPool<StringBuilder> pool = new GenericObjectPool<>(factory)) {
      pool.setMaxTotal(1);
      Thread maker = Thread.ofPlatform().daemon().start(() -> borrowAndReturn(pool));
      while (factory.entered.get() == 0) {
        Thread.onSpinWait();
      }
      Heddle.run(
          HeddleOptions.defaults()
              .withHoldLimit(Duration.ofMillis(50))
              .withReports(report -> {
                if (namesThePool(report)) {
                  reported.complete((HoldReport) report);
                  factory.released.countDown(); // or the loop would stand for ever
                }
              }),
          () -> {
            borrowAndReturn(pool);
            until(reported::isDone);
          });
      maker.join();
    }
    assertThat(reported.join().activity())
        .isIn(HoldReport.Activity.COMPUTING, HoldReport.Activity.NATIVE);
    assertThat(factory.entered).hasValue(1);
  }

  private static boolean namesThePool(LoopReport report) {
    return report instanceof HoldReport hold
        && hold.stack().stream()
            .anyMatch(frame -> frame.getClassName().equals(GenericObjectPool.class.getName()));
  }

  private static void borrowAndReturn(GenericObjectPool<StringBuilder> pool) {
    try {
      pool.returnObject(pool.borrowObject());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
