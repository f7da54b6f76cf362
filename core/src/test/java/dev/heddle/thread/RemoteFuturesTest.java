// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Futures that cross between loops and threads, both ways: a loop's to others by
/// `toCompletableFuture()`, others' to a loop by a [RemotePromise] or `Heddle.await(stage)`.
@Timeout(300)
class RemoteFuturesTest {
  private static final ThreadPoolOptions ONE =
      ThreadPoolOptions.defaults().withName("one").withWorkers(1);

  // ---- out of a loop ----

  @Test
  @Tag("loop-157")
  void futureOfALoop_isAwaitedByThreads_andByCoroutinesOfOtherLoops() {
    Object value = new Object();
    Heddle.run(() -> {
      Promise<Object> promise = Heddle.promise();
      CompletableFuture<Object> exported = promise.future().toCompletableFuture();
      try (ThreadPool threads = new ThreadPool(ONE);
          ThreadPool loops = new ThreadPool(ONE.withCoroutines(2))) {
        CountDownLatch others = new CountDownLatch(1);
        Future<Object> blocked = threads.submit(() -> exported.get());
        Future<Object> suspended = loops.submit(() -> Heddle.await(exported));
        Future<Boolean> other =
            loops.submit(() -> {
              others.countDown(); // its loop goes on while the first task waits
              return true;
            });
        others.await();
        assertThat(other.await()).isTrue();
        promise.complete(value);
        assertThat(List.of(blocked.await(), suspended.await())).containsOnly(value);
      }
    });
  }

  @Test
  @Tag("loop-157")
  void failureOfALoopsFuture_reachesOthersAsItIs() {
    IllegalStateException failure = new IllegalStateException("of the loop");
    Heddle.run(() -> {
      Promise<Object> promise = Heddle.promise();
      CompletableFuture<Object> exported = promise.future().toCompletableFuture();
      try (ThreadPool threads = new ThreadPool(ONE);
          ThreadPool loops = new ThreadPool(ONE.withCoroutines(1))) {
        Future<Object> blocked = threads.submit(() -> exported.get());
        Future<Object> suspended = loops.submit(() -> Heddle.await(exported));
        promise.fail(failure);
        assertThatThrownBy(suspended::await).isSameAs(failure);
        assertThatThrownBy(blocked::await)
            .hasCauseInstanceOf(ExecutionException.class)
            .hasRootCause(failure);
      }
    });
  }

  @Test
  @Tag("loop-281")
  void endOfALoop_releasesTheThreadsThatWaitForItsFuture() throws Exception {
    CompletableFuture<FutureTask<Object>> waiting = new CompletableFuture<>();
    Heddle.run(() -> {
      CompletableFuture<Object> exported = Heddle.promise().future().toCompletableFuture();
      FutureTask<Object> task = new FutureTask<>(() -> exported.get());
      Thread thread = Thread.ofPlatform().daemon().start(task);
      while (thread.getState() != Thread.State.WAITING) {
        Heddle.yieldNow();
      }
      waiting.complete(task);
    });
    assertThatThrownBy(() -> waiting.get().get())
        .isInstanceOf(ExecutionException.class)
        .rootCause()
        .hasMessageContaining("ended");
  }

  // ---- into a loop ----

  @Test
  @Tag("loop-157")
  void promiseOfAWorkersLoop_isCompletedByThePoolsLoop() {
    Object value = new Object();
    Heddle.run(() -> {
      CompletableFuture<RemotePromise<Object>> made = new CompletableFuture<>();
      try (ThreadPool pool = new ThreadPool(ONE.withCoroutines(1))) {
        Future<Object> task =
            pool.submit(() -> {
              RemotePromise<Object> promise = new RemotePromise<>("answer");
              made.complete(promise);
              return promise.future().await();
            });
        RemotePromise<Object> promise = Heddle.await(made);
        assertThat(promise.tryComplete(value)).isTrue();
        assertThat(task.await()).isSameAs(value);
        assertThat(promise.tryComplete(value)).isFalse();
      }
    });
  }

  @Test
  @Tag("loop-272")
  void promiseOfATaskThatIsCancelled_isNotWantedAnyMore() {
    Heddle.run(() -> {
      CompletableFuture<RemotePromise<Object>> made = new CompletableFuture<>();
      CountDownLatch left = new CountDownLatch(1);
      try (ThreadPool pool = new ThreadPool(ONE.withCoroutines(1))) {
        Future<Object> task =
            pool.submit(() -> {
              RemotePromise<Object> promise = new RemotePromise<>("answer");
              made.complete(promise);
              try {
                return promise.future().await();
              } catch (Cancellation c) {
                promise.future().cancel(c);
                throw c;
              } finally {
                left.countDown();
              }
            });
        RemotePromise<Object> promise = Heddle.await(made);
        assertThat(promise.isCancelled()).isFalse();
        task.cancel("enough");
        left.await();
        assertThat(promise.isCancelled()).isTrue();
        assertThat(promise.tryComplete("late")).isFalse();
      }
    });
  }

  @Test
  @Tag("loop-157")
  void coroutinesOfTwoLoops_exchangeFutures() {
    Heddle.run(() -> {
      RemotePromise<Integer> question = new RemotePromise<>("question");
      CompletableFuture<RemotePromise<Integer>> made = new CompletableFuture<>();
      Loop<Integer> other =
          Loop.start(() -> {
            RemotePromise<Integer> answer = new RemotePromise<>("answer");
            made.complete(answer);
            question.complete(6);
            return answer.future().await();
          });
      RemotePromise<Integer> answer = Heddle.await(made);
      answer.complete(7 * question.future().await());
      assertThat(Heddle.await(other.result())).isEqualTo(42);
    });
  }
}
