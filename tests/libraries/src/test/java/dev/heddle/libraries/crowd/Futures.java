// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.crowd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.libraries.crowd.Crew.Helper;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/// Futures and tasks of the JDK's.
final class Futures {
  private final CompletableFuture<Integer> future = new CompletableFuture<>();

  private static void joinAll(List<Helper> helpers) throws Exception {
    for (Helper helper : helpers) {
      helper.join();
    }
  }

  @Together
  void getAndJoin_waitUntilItIsComplete(Crew crew) throws Exception {
    List<Helper> waiters = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiters.add(crew.start(() -> assertThat(future.get()).isEqualTo(7)).awaitWait());
      waiters.add(crew.start(() -> assertThat(future.join()).isEqualTo(7)).awaitWait());
      waiters.add(
          crew.start(() -> assertThat(future.get(1, TimeUnit.DAYS)).isEqualTo(7)).awaitWait());
    }
    assertThat(future.complete(7)).isTrue();
    assertThat(future.complete(8)).isFalse();
    joinAll(waiters);
  }

  @Together
  void getAndJoin_ofAFailure_throwIt(Crew crew) throws Exception {
    Helper getter =
        crew.start(() ->
                assertThatThrownBy(future::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseMessage("broken"))
            .awaitWait();
    Helper joiner =
        crew.start(() ->
                assertThatThrownBy(future::join)
                    .isInstanceOf(CompletionException.class)
                    .hasRootCauseMessage("broken"))
            .awaitWait();
    future.completeExceptionally(new IllegalStateException("broken"));
    getter.join();
    joiner.join();
  }

  @Together
  void get_withALimitOrAnInterrupt_endsOnlyTheWait(Crew crew) throws Exception {
    assertThatThrownBy(() -> future.get(2, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    Helper waiter =
        crew.start(() -> assertThatThrownBy(future::get).isInstanceOf(InterruptedException.class));
    waiter.interruptInWait();
    waiter.join();
    assertThat(future).isNotDone();
  }

  @Together
  void join_thatIsInterrupted_goesOnAndKeepsTheFlag(Crew crew) throws Exception {
    Helper waiter =
        crew.start(() -> {
          assertThat(future.join()).isEqualTo(1);
          assertThat(Thread.interrupted()).isTrue();
        });
    waiter.interruptInWait();
    Crew.letOthersRun();
    assertThat(waiter.isEnded()).isFalse();
    future.complete(1);
    waiter.join();
  }

  @Together
  void cancel_wakesWhoWaits(Crew crew) throws Exception {
    Helper waiter =
        crew.start(() -> assertThatThrownBy(future::get).isInstanceOf(CancellationException.class))
            .awaitWait();
    assertThat(future.cancel(true)).isTrue();
    waiter.join();
  }

  @Together
  void stages_runInWhoeverCompletes(Crew crew) throws Exception {
    List<Thread> ran = new ArrayList<>();
    CompletableFuture<Integer> doubled =
        future.thenApply(value -> {
          ran.add(Thread.currentThread());
          return 2 * value;
        });
    Helper waiter = crew.start(() -> assertThat(doubled.join()).isEqualTo(8)).awaitWait();
    Helper completer =
        crew.start(() -> {
          future.complete(4);
          assertThat(ran).containsExactly(Thread.currentThread());
        });
    completer.join();
    waiter.join();
  }

  @Together
  void allOfAndAnyOf_waitForAllAndForTheFirst(Crew crew) throws Exception {
    List<CompletableFuture<Integer>> parts = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      parts.add(new CompletableFuture<>());
    }
    CompletableFuture<?>[] array = parts.toArray(CompletableFuture[]::new);
    Helper all = crew.start(() -> CompletableFuture.allOf(array).join()).awaitWait();
    Helper any =
        crew.start(() -> assertThat(CompletableFuture.anyOf(array).join()).isEqualTo(3))
            .awaitWait();
    parts.get(3).complete(3);
    any.join();
    Crew.letOthersRun();
    assertThat(all.isEnded()).isFalse();
    parts.forEach(part -> part.complete(0));
    all.join();
  }

  @Together
  void orTimeout_completesFromTheJdksOwnThread(Crew crew) {
    assertThatThrownBy(() -> future.orTimeout(2, TimeUnit.MILLISECONDS).join())
        .hasCauseInstanceOf(TimeoutException.class);
    assertThat(
            new CompletableFuture<Integer>().completeOnTimeout(5, 1, TimeUnit.MILLISECONDS).join())
        .isEqualTo(5);
  }

  @Together
  void supplyAsync_inHelpers_isJoined(Crew crew) {
    List<CompletableFuture<Integer>> parts = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      int number = i;
      parts.add(CompletableFuture.supplyAsync(() -> number, task -> crew.start(task::run)));
    }
    assertThat(parts.stream().mapToInt(CompletableFuture::join).sum()).isEqualTo(45);
  }

  @Together
  void supplyAsync_inTheCommonPool_isJoined(Crew crew) {
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<Integer> slow =
        CompletableFuture.supplyAsync(() -> {
          release.countDown();
          return 1;
        });
    assertThat(slow.thenCombine(future, Integer::sum)).isNotDone();
    future.complete(2);
    assertThat(slow.thenCombineAsync(future, Integer::sum).join()).isEqualTo(3);
  }

  @Together
  void task_runByAHelper_isGotByOthers(Crew crew) throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    FutureTask<Integer> task =
        new FutureTask<>(() -> {
          release.await();
          return runs.incrementAndGet();
        });
    Helper getter = crew.start(() -> assertThat(task.get()).isEqualTo(1)).awaitWait();
    Helper runner = crew.start(task::run).awaitWait();
    crew.start(task::run).join(); // runs already
    release.countDown();
    runner.join();
    getter.join();
    task.run(); // has run
    assertThat(runs).hasValue(1);
  }

  @Together
  void task_cancelledWhileItWaits_isInterrupted(Crew crew) throws Exception {
    AtomicInteger interrupts = new AtomicInteger();
    FutureTask<Integer> task =
        new FutureTask<>(() -> {
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException _) {
            interrupts.incrementAndGet();
          }
          return 1;
        });
    Helper getter =
        crew.start(() -> assertThatThrownBy(task::get).isInstanceOf(CancellationException.class))
            .awaitWait();
    Helper runner = crew.start(task::run).awaitWait();
    assertThat(task.cancel(true)).isTrue();
    runner.join();
    getter.join();
    assertThat(interrupts).hasValue(1);
  }

  @Together
  void completionService_givesTasksInOrderOfTheirEnd(Crew crew) throws Exception {
    ExecutorCompletionService<Integer> tasks =
        new ExecutorCompletionService<>(task -> crew.start(task::run));
    CountDownLatch release = new CountDownLatch(1);
    tasks.submit(() -> {
      release.await();
      return 1;
    });
    tasks.submit(() -> 2);
    assertThat(tasks.take().get()).isEqualTo(2);
    release.countDown();
    assertThat(tasks.take().get()).isEqualTo(1);
    assertThat(tasks.poll()).isNull();
  }

  /// Adds up numbers by halves.
  private static final class Sum extends RecursiveTask<Integer> {
    private static final long serialVersionUID = 1;

    private final int from;
    private final int to;

    Sum(int from, int to) {
      this.from = from;
      this.to = to;
    }

    @Override
    protected Integer compute() {
      if (to - from == 1) {
        return from;
      }
      int middle = (from + to) >>> 1;
      Sum left = new Sum(from, middle);
      left.fork();
      return new Sum(middle, to).compute() + left.join();
    }
  }

  @Together
  void forkJoinTask_isInvokedFromOutsideItsPool(Crew crew) throws Exception {
    Helper other =
        crew.start(
            () -> assertThat(ForkJoinPool.commonPool().invoke(new Sum(0, 64))).isEqualTo(2016));
    assertThat(ForkJoinPool.commonPool().submit(new Sum(0, 64)).get()).isEqualTo(2016);
    other.join();
  }
}
