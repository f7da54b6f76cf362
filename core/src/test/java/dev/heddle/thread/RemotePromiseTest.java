// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class RemotePromiseTest {
  private static Thread elsewhere(Runnable action) {
    return Thread.ofPlatform().name("elsewhere").start(action);
  }

  @Test
  @Tag("loop-157")
  void value_ofAnotherThread_reachesTheAwaiterByReference() {
    Object value = new Object();
    Heddle.run(() -> {
      RemotePromise<Object> promise = new RemotePromise<>();
      elsewhere(() -> promise.complete(value));
      assertThat(promise.future().await()).isSameAs(value);
      assertThat(promise.isDone()).isTrue();
    });
  }

  @Test
  @Tag("loop-157")
  void failure_ofAnotherThread_reachesTheAwaiterAsItIs() {
    IllegalStateException unchecked = new IllegalStateException("elsewhere");
    IOException checked = new IOException("elsewhere");
    Heddle.run(() -> {
      RemotePromise<String> promise = new RemotePromise<>();
      elsewhere(() -> promise.fail(unchecked));
      assertThatThrownBy(promise.future()::await).isSameAs(unchecked);
      RemotePromise<String> other = new RemotePromise<>();
      elsewhere(() -> other.fail(checked));
      assertThatThrownBy(other.future()::await)
          .isInstanceOf(CoroutineException.class)
          .hasCause(checked);
    });
  }

  @Test
  @Tag("loop-160")
  void twoAwaitersAndADerivedFuture_allGetTheValue() {
    Heddle.run(() -> {
      RemotePromise<Integer> promise = new RemotePromise<>();
      var one = Heddle.spawn(() -> promise.future().await());
      var two = Heddle.spawn(() -> promise.future().await());
      var derived = promise.future().map(value -> value + 1);
      Heddle.yieldNow();
      elsewhere(() -> promise.complete(41));
      assertThat(List.of(one.await(), two.await(), derived.await())).containsExactly(41, 41, 42);
    });
  }

  @Test
  void secondCompletion_isRefusedAndNamesTheFirst() throws InterruptedException {
    AtomicReference<RemotePromise<String>> kept = new AtomicReference<>();
    Heddle.run(() -> {
      RemotePromise<String> promise = new RemotePromise<>("answer");
      kept.set(promise);
      elsewhere(() -> promise.complete("first")).join();
      assertThatThrownBy(() -> promise.complete("second"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("'answer' is already completed", "elsewhere");
      assertThatThrownBy(() -> promise.fail(new IOException("second")))
          .isInstanceOf(IllegalStateException.class);
      assertThat(promise.tryComplete("second")).isFalse();
      assertThat(promise.tryFail(new IOException("second"))).isFalse();
      assertThat(promise.future().await()).isEqualTo("first");
    });
  }

  @Test
  void completions_ofManyThreads_areOne() {
    Heddle.run(() -> {
      for (int round = 0; round < 200; round++) {
        RemotePromise<Integer> promise = new RemotePromise<>();
        AtomicInteger accepted = new AtomicInteger(-1);
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> threads =
            IntStream.range(0, 4)
                .mapToObj(i ->
                    elsewhere(() -> {
                      awaitQuietly(start);
                      if (promise.tryComplete(i)) {
                        assertThat(accepted.getAndSet(i)).isEqualTo(-1);
                      }
                    }))
                .toList();
        start.countDown();
        int value = promise.future().await();
        for (Thread thread : threads) {
          thread.join();
        }
        assertThat(value).isEqualTo(accepted.get());
      }
    });
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void completion_onItsOwnLoop_isAllowedToo() {
    Heddle.run(() -> {
      RemotePromise<String> promise = new RemotePromise<>();
      promise.complete("own");
      assertThat(promise.future().await()).isEqualTo("own");
    });
  }

  @Test
  void future_thatAReaderCancels_tellsTheOtherThread() {
    Heddle.run(() -> {
      RemotePromise<String> promise = new RemotePromise<>();
      promise.future().cancel("not needed");
      CompletableFuture<Boolean> seen = new CompletableFuture<>();
      elsewhere(() -> seen.complete(promise.isCancelled()));
      assertThat(Heddle.await(seen)).isTrue();
      // nobody gets it, and nobody is blamed
      elsewhere(() -> promise.complete("late")).join();
      assertThat(promise.tryComplete("later")).isFalse();
      assertThatThrownBy(promise.future()::await)
          .isInstanceOf(Cancellation.class)
          .hasMessage("not needed");
    });
  }

  @Test
  void cancellation_asAFailure_makesACancelledFuture() {
    Heddle.run(() -> {
      RemotePromise<String> promise = new RemotePromise<>();
      elsewhere(() -> promise.fail(new Cancellation("by the other side")));
      assertThatThrownBy(promise.future()::await).hasMessage("by the other side");
      assertThat(promise.future().isCancelled()).isTrue();
    });
  }

  @Test
  @Tag("trap-10")
  void wait_forAnotherThread_isNoDeadlock() {
    Heddle.run(() -> {
      RemotePromise<String> promise = new RemotePromise<>();
      var waiting = Heddle.spawn(() -> promise.future().await());
      Heddle.yieldNow();
      // nothing is ready, and nothing but the promise can go on
      elsewhere(() -> promise.complete("came"));
      assertThat(waiting.await()).isEqualTo("came");
    });
  }

  @Test
  void completion_afterTheLoopHasEnded_isIgnored() {
    AtomicReference<RemotePromise<String>> kept = new AtomicReference<>();
    CompletableFuture<String> exported =
        Heddle.run(() -> {
          RemotePromise<String> promise = new RemotePromise<>();
          kept.set(promise);
          return promise.future().toCompletableFuture();
        });
    assertThat(kept.get().tryComplete("late")).isFalse();
    assertThat(exported).isCompletedExceptionally();
  }

  @Test
  void making_outsideALoop_isRefusedAndNamesHeddleRun() {
    assertThatThrownBy(RemotePromise::new)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Heddle.run");
  }

  @Test
  @Tag("trap-10")
  void promise_whoseFutureIsNotAwaited_doesNotHideADeadlock() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              RemotePromise<Object> dropped = new RemotePromise<>();
              assertThatThrownBy(() -> dropped.future().await(Deadline.after(Duration.ofMillis(1))))
                  .isInstanceOf(DeadlineException.class);
              dropped.future().map(Object::hashCode).cancel("not needed");
              Heddle.promise().future().await();
            }))
        .isInstanceOf(DeadlockError.class);
  }

  @Test
  @Tag("trap-10")
  void promise_whoseDerivedFutureIsAwaited_isNoDeadlock() {
    Heddle.run(() -> {
      RemotePromise<Integer> promise = new RemotePromise<>();
      Scheduler scheduler = CoroutineNode.current().scheduler();
      elsewhere(() -> {
        while (!scheduler.isAsleep() && !scheduler.hasEnded()) {
          Thread.onSpinWait();
        }
        promise.complete(1);
      });
      assertThat(promise.future().map(one -> one + 1).await()).isEqualTo(2);
    });
  }

  @Test
  @SuppressWarnings("NullAway") // what callers without checks pass
  void failure_thatIsNull_isRefused() {
    Heddle.run(() -> {
      RemotePromise<Object> promise = new RemotePromise<>();
      assertThatThrownBy(() -> promise.fail(null)).hasMessage("failure");
      assertThatThrownBy(() -> promise.tryFail(null)).hasMessage("failure");
      assertThat(promise.isDone()).isFalse();
    });
  }
}
