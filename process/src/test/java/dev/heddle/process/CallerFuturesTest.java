// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.timer.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
final class CallerFuturesTest {
  private static <T> CompletableFuture<T> of(CompletableFuture<T> inner) {
    return CallerFutures.of(inner, Thread::startVirtualThread);
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

  @Test
  void future_thatCompletesWhileNoThreadCanBeMade_completesWhenThereIsOne() throws Exception {
    AtomicInteger missing = new AtomicInteger(2);
    Executor starved =
        task -> {
          if (missing.getAndDecrement() > 0) {
            throw new OutOfMemoryError("no thread");
          }
          task.run();
        };
    Timers timers = new Timers("test");
    timers.start();
    CompletableFuture<String> inner = new CompletableFuture<>();
    CompletableFuture<String> outer =
        CallerFutures.of(inner, RuntimeParts.callbacks(timers, starved));

    inner.complete("done");

    assertThat(outer.get()).isEqualTo("done");
    timers.close(Duration.ZERO);
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
}
