// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
