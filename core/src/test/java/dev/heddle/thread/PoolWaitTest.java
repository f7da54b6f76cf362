// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Future;
import dev.heddle.scheduler.Scheduler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Who waits for a pool, or for what is derived from a task of its.
@Timeout(300)
class PoolWaitTest {
  @Test
  @Tag("trap-10")
  void wait_forThePlaceOfACancelledTaskThatRunsOn_isNoDeadlock() {
    AtomicBoolean cancelled = new AtomicBoolean();
    Heddle.run(() -> {
      Scheduler scheduler = CoroutineNode.current().scheduler();
      CountDownLatch begun = new CountDownLatch(1);
      try (ThreadPool pool = new ThreadPool("pool", 1, 0)) {
        Future<?> stubborn =
            pool.submit(() -> {
              begun.countDown();
              // until the loop has nothing left to do but to wait for it
              while (!(cancelled.get() && scheduler.isAsleep()) && !scheduler.hasEnded()) {
                Thread.onSpinWait();
              }
              return null;
            });
        begun.await();
        stubborn.cancel("enough");
        cancelled.set(true);
        assertThat(pool.run(() -> 2)).isEqualTo(2);
      }
    });
  }

  @Test
  @Tag("loop-273")
  void task_whoseDerivedFutureIsAwaited_goesOnWhenADirectAwaiterIsCancelled() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(1)) {
        CountDownLatch open = new CountDownLatch(1);
        Future<String> future =
            pool.submit(() -> {
              open.await();
              return "through";
            });
        var leaving = Heddle.spawn(() -> future.await());
        var staying = Heddle.spawn(() -> future.map(String::length).await());
        Heddle.yieldNow();
        leaving.cancel("stop");
        assertThatThrownBy(leaving::await).hasMessage("stop");
        open.countDown();
        assertThat(staying.await()).isEqualTo("through".length());
      }
    });
  }
}
