// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
final class CallerFuturesTest {
  private static <T> CompletableFuture<T> of(CompletableFuture<T> inner) {
    return CallerFutures.of(inner, CallerFutures::execute);
  }

  @Test
  void stage_ofAFuture_mayWaitForEver() throws Exception {
    CompletableFuture<String> inner = new CompletableFuture<>();
    CompletableFuture<String> outer = of(inner);
    CountDownLatch called = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    CompletableFuture<?> _ =
        outer.thenRun(() -> {
          called.countDown();
          try {
            end.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });

    inner.complete("done"); // returns

    called.await();
    assertThat(outer.get()).isEqualTo("done");
    end.countDown();
  }

  /// The pool has it in a queue then, and would run it once there are threads.
  @Test
  void task_thatIsRefusedSinceNoThreadCanBeMade_neverRuns() {
    AtomicInteger runs = new AtomicInteger();
    AtomicReference<Runnable> queued = new AtomicReference<>();
    assertThatThrownBy(() ->
            CallerFutures.execute(
                runs::incrementAndGet,
                null,
                task -> {
                  queued.set(task);
                  throw new OutOfMemoryError("no thread");
                }))
        .isInstanceOf(OutOfMemoryError.class);
    queued.get().run();
    assertThat(runs).hasValue(0);
  }

  @Test
  void task_thatRunsAlthoughItsStartFails_isNotRefused() {
    AtomicInteger runs = new AtomicInteger();
    CallerFutures.execute(
        runs::incrementAndGet,
        null,
        task -> {
          task.run();
          throw new OutOfMemoryError("no thread");
        });
    assertThat(runs).hasValue(1);
  }

  @Test
  void task_ofAVirtualThread_isTriedAgainInThePool_untilThereIsAThread() {
    AtomicInteger tries = new AtomicInteger();
    AtomicInteger runs = new AtomicInteger();
    CallerFutures.execute(
        runs::incrementAndGet,
        Runnable::run,
        task -> {
          if (tries.incrementAndGet() < 3) {
            throw new OutOfMemoryError("no thread");
          }
          task.run();
        });
    assertThat(tries).hasValue(3);
    assertThat(runs).hasValue(1);
  }

  @Test
  void failure_isThatOfTheOtherFuture() {
    CompletableFuture<String> inner = new CompletableFuture<>();
    CompletableFuture<String> outer = of(inner);
    Throwable failure = new IllegalStateException("boom");
    inner.completeExceptionally(failure);
    assertThat(outer).failsWithin(240, TimeUnit.SECONDS).withThrowableThat().withCause(failure);
  }

  @Test
  void cancel_cancelsTheOtherFuture() {
    CompletableFuture<String> inner = new CompletableFuture<>();
    of(inner).cancel(false);
    assertThat(inner).isCancelled();
  }

  @Test
  void completeFuture_isReturnedAsItIs() {
    CompletableFuture<String> inner = CompletableFuture.completedFuture("done");
    assertThat(of(inner)).isSameAs(inner);
  }

  @Test
  void thread_startedInTheBodyOfAProcess_isOneOfTheJdk() throws Exception {
    CompletableFuture<String> thread = new CompletableFuture<>();
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start()) {
      runtime.spawn(
          CoroutineProcess.of(_ -> {
            CallerFutures.execute(() -> thread.complete(Thread.currentThread().toString()));
            return null;
          }));
      assertThat(thread.get()).contains("ForkJoinPool");
    }
  }
}
