// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Heddle;
import dev.heddle.PoolClosedException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Future;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Submitters that wait when their pool is closed.
@Tag("T17")
@Timeout(300)
class ThreadPoolCloseTest {
  private static void settle() {
    for (int i = 0; i < 20; i++) {
      Heddle.yieldNow();
    }
  }

  /// Ends a pool whose only task does not end, while two submitters wait.
  private static void submittersHear(Consumer<ThreadPool> end) {
    Heddle.run(() -> {
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch open = new CountDownLatch(1);
      ThreadPool pool = new ThreadPool("crunch", 1, 0);
      Future<Boolean> running =
          pool.submit(() -> {
            begun.countDown();
            open.await();
            return true;
          });
      begun.await();
      Coroutine<Throwable> first = Heddle.spawn(() -> catchThrowable(() -> pool.run(() -> 1)));
      Coroutine<Throwable> second = Heddle.spawn(() -> catchThrowable(() -> pool.run(() -> 2)));
      settle();
      assertThat(pool.info()).contains("2 waiting to submit");
      end.accept(pool);
      settle();
      assertThat(first.isDone() && second.isDone()).as("both have heard of it").isTrue();
      assertThat(running.isDone()).isFalse();
      open.countDown();
      pool.close();
      for (Coroutine<Throwable> each : List.of(first, second)) {
        assertThat(each.result())
            .isInstanceOf(PoolClosedException.class)
            .hasMessageContaining("the pool 'crunch' is closed");
      }
      assertThat(running.await()).isTrue();
    });
  }

  @Test
  void close_besideATaskThatDoesNotEnd_endsTheWaitsToSubmit() {
    submittersHear(pool -> Heddle.launch("closing", pool::close));
  }

  @Test
  void cancel_besideATaskThatDoesNotEnd_endsTheWaitsToSubmit() {
    submittersHear(ThreadPool::cancel);
  }
}
