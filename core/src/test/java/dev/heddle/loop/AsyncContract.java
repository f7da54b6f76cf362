// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What [CompletionService] and the asynchronous methods of [CompletableFuture] promise, as tests
/// of any executor that they are given.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class AsyncContract {
  /*
   * Each group of tests is named after the interface whose Javadoc it comes from:
   *   CompletionService   take(), poll(), poll(timeout), submit() of both kinds: "in the order they
   *                       complete"; "or null if none are present"
   *   CompletableFuture   the package of methods with suffix Async and an Executor argument, and
   *                       delayedExecutor(): each stage runs on the given executor; "if a stage's
   *                       computation terminates abruptly with an (unchecked) exception or error,
   *                       then all dependent stages complete exceptionally as well, with a
   *                       CompletionException holding the exception as its cause"
   *   RejectedExecutionException   of both
   */

  /// The executor under test; open, and always the same one in a test.
  abstract ScheduledExecutorService executor();

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  static Throwable failureOf(Future<?> future) throws InterruptedException {
    try {
      throw new AssertionError("succeeded with " + future.get());
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  /// The executor, which counts what it was given.
  private final class Counting implements Executor {
    final List<Runnable> given = new ArrayList<>();

    @Override
    public void execute(Runnable command) {
      synchronized (given) {
        given.add(command);
      }
      executor().execute(command);
    }

    int count() {
      synchronized (given) {
        return given.size();
      }
    }
  }

  // ---- CompletionService ----

  @Test
  void completionService_returnsTasksAsTheyComplete() throws Exception {
    CompletionService<Integer> service = new ExecutorCompletionService<>(executor());
    CountDownLatch second = new CountDownLatch(1);
    Future<Integer> late =
        service.submit(() -> {
          await(second);
          return 1;
        });
    Future<Integer> early = service.submit(() -> 2);
    assertThat(service.take()).isSameAs(early);
    assertThat(service.poll()).isNull();
    assertThat(service.poll(1, TimeUnit.MILLISECONDS)).isNull();
    second.countDown();
    assertThat(service.poll(1, TimeUnit.HOURS)).isSameAs(late);
    assertThat(late.get()).isEqualTo(1);
  }

  @Test
  void completionService_returnsFailuresAndCancelledTasks_too() throws Exception {
    CompletionService<Integer> service = new ExecutorCompletionService<>(executor());
    Exception failure = new Exception("of the task");
    Future<Integer> failing =
        service.submit(() -> {
          throw failure;
        });
    assertThat(service.take()).isSameAs(failing);
    assertThat(failureOf(failing)).isSameAs(failure);
    CountDownLatch never = new CountDownLatch(1);
    Future<Integer> waiting =
        service.submit(() -> {
          never.await();
          return 1;
        });
    assertThat(waiting.cancel(true)).isTrue();
    assertThat(service.take()).isSameAs(waiting);
    assertThat(waiting.isCancelled()).isTrue();
  }

  @Test
  void completionService_ofARunnable_yieldsTheGivenResult() throws Exception {
    CompletionService<String> service = new ExecutorCompletionService<>(executor());
    int[] plain = {0};
    Future<String> future = service.submit(() -> plain[0] = 42, "given");
    assertThat(service.take()).isSameAs(future);
    assertThat(future.get()).isEqualTo("given");
    assertThat(plain[0]).isEqualTo(42);
  }

  @Test
  void completionService_ofAnExecutorThatWasShutDown_rejects() {
    CompletionService<Integer> service = new ExecutorCompletionService<>(executor());
    executor().shutdown();
    assertThatThrownBy(() -> service.submit(() -> 1))
        .isInstanceOf(RejectedExecutionException.class);
    assertThat(service.poll()).isNull();
  }

  // ---- CompletableFuture ----

  @Test
  void supplyAsync_completesWithTheValue_runAsyncWithNull() {
    Counting counting = new Counting();
    assertThat(CompletableFuture.supplyAsync(() -> 42, counting).join()).isEqualTo(42);
    int[] plain = {0};
    assertThat(CompletableFuture.runAsync(() -> plain[0] = 1, counting).join()).isNull();
    assertThat(plain[0]).isEqualTo(1);
    assertThat(counting.count()).isEqualTo(2);
  }

  @Test
  void supplyAsync_thatThrows_failsItAndItsDependents() {
    IllegalStateException failure = new IllegalStateException("of the supplier");
    CompletableFuture<Integer> first =
        CompletableFuture.supplyAsync(
            () -> {
              throw failure;
            },
            executor());
    CompletableFuture<Integer> second = first.thenApplyAsync(n -> n + 1, executor());
    assertThatThrownBy(first::join).isInstanceOf(CompletionException.class).hasCause(failure);
    assertThatThrownBy(second::join).isInstanceOf(CompletionException.class).hasCause(failure);
    assertThat(second.exceptionallyAsync(e -> 7, executor()).join()).isEqualTo(7);
    assertThat(second.handleAsync((n, e) -> e == null ? n : 8, executor()).join()).isEqualTo(8);
  }

  @Test
  void stages_eachRunOnTheExecutor_inTheirOrder() {
    Counting counting = new Counting();
    List<String> log = new ArrayList<>();
    CompletableFuture<Void> last =
        CompletableFuture.supplyAsync(() -> 1, counting)
            .thenApplyAsync(n -> n + 1, counting)
            .thenComposeAsync(n -> CompletableFuture.supplyAsync(() -> n + 1, counting), counting)
            .thenCombineAsync(
                CompletableFuture.supplyAsync(() -> 4, counting), (a, b) -> a + b, counting)
            .whenCompleteAsync((n, e) -> log.add("complete " + n), counting)
            .thenAcceptAsync(n -> log.add("accept " + n), counting)
            .thenRunAsync(() -> log.add("run"), counting);
    last.join();
    assertThat(log).containsExactly("complete 7", "accept 7", "run");
    assertThat(counting.count()).isEqualTo(9);
  }

  @Test
  void allOfAndAnyOf_waitForAsynchronousStages() {
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<Integer> slow =
        CompletableFuture.supplyAsync(
            () -> {
              await(release);
              return 1;
            },
            executor());
    CompletableFuture<Integer> quick = CompletableFuture.supplyAsync(() -> 2, executor());
    assertThat(CompletableFuture.anyOf(slow, quick).join()).isEqualTo(2);
    CompletableFuture<Void> both = CompletableFuture.allOf(slow, quick);
    assertThat(both.isDone()).isFalse();
    release.countDown();
    both.join();
    assertThat(slow.resultNow()).isEqualTo(1);
  }

  @Test
  void stageThatIsCancelled_doesNotStopItsTask() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    CompletableFuture<Integer> future =
        CompletableFuture.supplyAsync(
            () -> {
              begun.countDown();
              await(release);
              ended.countDown();
              return 1;
            },
            executor());
    await(begun);
    assertThat(future.cancel(true)).isTrue();
    assertThatThrownBy(future::join).isInstanceOf(CancellationException.class);
    release.countDown();
    await(ended);
    assertThat(future.isCancelled()).isTrue();
  }

  @Test
  void get_ofAStage_withATimeout_waitsNoLonger() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<Integer> future =
        CompletableFuture.supplyAsync(
            () -> {
              await(release);
              return 1;
            },
            executor());
    assertThatThrownBy(() -> future.get(1, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    release.countDown();
    assertThat(future.get(1, TimeUnit.HOURS)).isEqualTo(1);
  }

  @Test
  void delayedExecutor_submitsWhenTheDelayIsOver() {
    long start = System.nanoTime();
    Executor delayed = CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS, executor());
    assertThat(CompletableFuture.supplyAsync(() -> 42, delayed).join()).isEqualTo(42);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
  }

  // ---- rejection ----

  @Test
  void asynchronousStage_onAnExecutorThatWasShutDown_isRejectedOrFails() {
    CompletableFuture<Integer> pending = new CompletableFuture<>();
    CompletableFuture<Integer> dependent = pending.thenApplyAsync(n -> n + 1, executor());
    executor().shutdown();
    assertThatThrownBy(() -> CompletableFuture.supplyAsync(() -> 1, executor()))
        .isInstanceOf(RejectedExecutionException.class);
    assertThatThrownBy(() -> CompletableFuture.runAsync(() -> {}, executor()))
        .isInstanceOf(RejectedExecutionException.class);
    pending.complete(1);
    assertThatThrownBy(dependent::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(RejectedExecutionException.class);
  }
}
