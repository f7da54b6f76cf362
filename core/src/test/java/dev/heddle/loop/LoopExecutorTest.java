// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.LoopGroup;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Promise;
import dev.heddle.internal.StackGuard;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What an executor of a loop has beyond the contract of executors: its tasks are coroutines.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopExecutorTest {
  private static Throwable failureOf(Future<?> future) throws InterruptedException {
    try {
      throw new AssertionError("succeeded with " + future.get());
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  private static void until(java.util.function.BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Heddle.yieldNow();
    }
  }

  // ---- tasks ----

  @Test
  void tasks_ofANamedExecutor_haveItsNameAndANumber() throws Exception {
    VirtualTime.run(() -> {
      ScheduledExecutorService executor = Loop.current().executor("import");
      Promise<String> seen = Heddle.promise();
      executor.execute(() -> {
        seen.complete(Heddle.current().name());
        Heddle.delay(Duration.ofSeconds(1));
      });
      assertThat(seen.future().await()).isEqualTo("import-1");
      assertThat(Heddle.dump().text()).contains("import-1");
      assertThat(executor.submit(() -> Heddle.current().name()).get()).isEqualTo("import-2");
      assertThat(executor.schedule(() -> Heddle.current().name(), 1, TimeUnit.SECONDS).get())
          .isEqualTo("import-3");
      assertThat(executor.toString()).startsWith("the executor 'import' on ");
    });
    try (LoopGroup group = LoopGroup.start(2)) {
      ExecutorService executor = group.executor("io");
      assertThat(executor.submit(() -> Heddle.current().name()).get()).isEqualTo("io-1");
      assertThat(executor.submit(() -> Heddle.current().name()).get()).isEqualTo("io-2");
    }
  }

  @Test
  void tasks_beginInTheOrderOfSubmission_andWaitForHeddle() {
    VirtualTime.run(() -> {
      ExecutorService executor = Loop.current().executor();
      List<String> log = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        int n = i;
        executor.execute(() -> {
          log.add("begun " + n);
          Heddle.delay(Duration.ofSeconds(10 - n));
          log.add("ended " + n);
        });
      }
      assertThat(log).isEmpty();
      Heddle.delay(Duration.ofMinutes(1));
      assertThat(log)
          .containsExactly("begun 0", "begun 1", "begun 2", "ended 2", "ended 1", "ended 0");
    });
  }

  @Test
  void get_inACoroutine_suspendsItAlone() throws Exception {
    Heddle.run(() -> {
      try (ExecutorService executor = Loop.current().executor()) {
        CountDownLatch release = new CountDownLatch(1);
        Future<Integer> future =
            executor.submit(() -> {
              release.await();
              return 42;
            });
        Coroutine<Integer> waiting = Heddle.spawn(() -> future.get());
        until(waiting::isSuspended);
        release.countDown(); // this coroutine runs meanwhile
        assertThat(waiting.await()).isEqualTo(42);
      }
    });
  }

  @Test
  void cancel_ofATaskThatHasNotBegun_keepsItFromRunning() {
    Heddle.run(() -> {
      ExecutorService executor = Loop.current().executor();
      List<String> log = new ArrayList<>();
      Future<?> future = executor.submit(() -> log.add("ran"));
      Future<?> next = executor.submit(() -> log.add("the next ran"));
      assertThat(future.cancel(true)).isTrue();
      next.get();
      assertThat(log).containsExactly("the next ran");
    });
  }

  @Test
  void cancel_ofATaskThatWaitsForHeddle_throwsACancellationInIt() {
    Heddle.run(() -> {
      ExecutorService executor = Loop.current().executor();
      Promise<Throwable> thrown = new Promise<>();
      Future<?> future =
          executor.submit(() -> {
            try {
              Heddle.delay(Duration.ofHours(1));
            } catch (Cancellation c) {
              Heddle.yieldNow(); // a clean-up may wait
              thrown.complete(c);
              throw c;
            }
          });
      Heddle.yieldNow();
      Heddle.yieldNow();
      assertThat(future.cancel(true)).isTrue();
      assertThat(thrown.future().await()).hasMessage("the future of its task was cancelled");
      executor.close();
    });
  }

  @Test
  void cancel_ofATaskThatHasEndedInTheMeantime_doesNotHitTheNext() {
    Heddle.run(() -> {
      Loop<?> loop = Loop.current();
      AtomicReference<Future<?>> first = new AtomicReference<>();
      ExecutorService executor = loop.executor();
      // the task is cancelled while it runs, and ends before the request arrives
      first.set(
          executor.submit(() -> {
            assertThat(first.get().cancel(true)).isTrue();
          }));
      Future<Integer> next =
          executor.submit(() -> {
            Heddle.delay(Duration.ofMillis(1));
            return 42;
          });
      assertThat(next.get()).isEqualTo(42);
      assertThat(first.get().isCancelled()).isTrue();
      executor.close();
    });
  }

  @Test
  void cancel_ofATaskThatItsTakerRuns_doesNotHitWhatTheTakerDoesNext() {
    Heddle.run(() -> {
      ScheduledExecutorService executor = Loop.current().executor();
      AtomicReference<Future<?>> self = new AtomicReference<>();
      Runnable cancelsItself = () -> assertThat(self.get().cancel(true)).isTrue();
      self.set(executor.schedule(cancelsItself, 1, TimeUnit.HOURS));
      executor.shutdownNow().getFirst().run();
      Heddle.delay(Duration.ofMillis(1)); // the request arrives here
      assertThat(self.get().isCancelled()).isTrue();
    });
  }

  @Test
  void cancel_ofATaskThatComputes_isSeenByCheckCancelled() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    Loop<Integer> loop =
        Loop.start(() -> {
          try (ExecutorService inside = Loop.current().executor()) {
            Future<?> endless =
                inside.submit(() -> {
                  begun.countDown();
                  while (true) {
                    Heddle.checkCancelled();
                  }
                });
            Thread.ofVirtual()
                .start(() -> {
                  try {
                    begun.await();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                  endless.cancel(true);
                });
          }
          return 1;
        });
    assertThat(loop.join()).isEqualTo(1);
  }

  @Test
  void failureOfExecute_isLogged_andTheLoopGoesOn() throws Exception {
    Loop<Integer> loop = Loop.start(() -> Heddle.await(new CompletableFuture<Integer>()));
    try (ExecutorService executor = loop.executor()) {
      executor.execute(() -> {
        throw new IllegalStateException("of a task, to be logged");
      });
      assertThat(executor.submit(() -> 42).get()).isEqualTo(42);
    } finally {
      loop.shutdown(Duration.ofHours(1));
    }
    assertThatThrownBy(loop::join).isInstanceOf(Cancellation.class); // by the shutdown
  }

  @Test
  void childValueThatThrows_failsTheFuture() {
    IllegalStateException failure = new IllegalStateException("of childValue()");
    AtomicReference<IllegalStateException> thrown = new AtomicReference<>();
    InheritableThreadLocal<String> local =
        new InheritableThreadLocal<>() {
          @Override
          protected String childValue(String parent) {
            if (thrown.get() != null) {
              throw thrown.get();
            }
            return parent;
          }
        };
    local.set("of the thread of the loop");
    try {
      Heddle.run(() -> {
        thrown.set(failure);
        assertThat(failureOf(Loop.current().executor().submit(() -> 1))).isSameAs(failure);
      });
    } finally {
      local.remove();
    }
  }

  @Test
  void outOfMemory_inATask_failsItsFutureAndEndsTheLoop() throws Exception {
    OutOfMemoryError error = new OutOfMemoryError("for the test");
    CountDownLatch never = new CountDownLatch(1);
    Loop<Integer> loop =
        Loop.start(() -> {
          never.await();
          return 1;
        });
    ExecutorService executor = loop.executor();
    Future<?> future =
        executor.submit(() -> {
          throw error;
        });
    assertThat(failureOf(future)).isSameAs(error);
    assertThatThrownBy(loop::join).isSameAs(error);
    assertThat(executor.awaitTermination(1, TimeUnit.HOURS)).isTrue();
  }

  @Test
  void supplyAsync_runsOnTheLoop() {
    Heddle.run(() -> {
      Loop<?> loop = Loop.current();
      CompletableFuture<Integer> future =
          CompletableFuture.supplyAsync(
                  () -> {
                    Heddle.delay(Duration.ofMillis(1));
                    return 41;
                  },
                  loop.executor())
              .thenApplyAsync(n -> n + 1, loop.executor());
      assertThat(Heddle.await(future)).isEqualTo(42);
    });
  }

  @Test
  void tasksOfAGroup_runOnAllItsLoops() throws Exception {
    try (LoopGroup group = LoopGroup.start(3);
        ExecutorService executor = group.executor()) {
      Set<String> carriers = new HashSet<>();
      for (int i = 0; i < 6; i++) {
        carriers.add(executor.submit(() -> Loop.current().dump().loop()).get());
      }
      assertThat(carriers).hasSize(3);
    }
  }

  // a wait at the end of the stack needs more than this
  private static void atEachDepth(Runnable there) {
    try {
      atEachDepth(there);
    } catch (StackOverflowError _) {
      // from here on upwards
    }
    there.run();
  }

  /// Each arrival of a chain lets the next one run, as operators of a flow do.
  private static final class Chain implements Runnable {
    private final Scheduler scheduler = CoroutineNode.current().scheduler();
    private int begun;
    private int ended;
    private int left;

    void begin() {
      if (StackGuard.hasAmpleRoom()) { // as a tick asks
        begun++;
        left = 32;
        scheduler.runWithRoom(this);
      }
    }

    @Override
    public void run() {
      StackGuard.requireRoom();
      if (--left > 0) {
        scheduler.runWithRoom(this);
      } else {
        ended++;
      }
    }
  }

  @Test
  void arrivals_atTheEndOfAStack_runInPlaceOrLater_neverHalf() {
    Heddle.run(() -> {
      List<Chain> chains = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        atEachDepth(() -> {
          Chain chain = new Chain();
          chains.add(chain);
          chain.begin();
        });
      }
      Heddle.yieldNow();
      assertThat(chains).allMatch(chain -> chain.begun == chain.ended);
      assertThat(chains.stream().mapToInt(chain -> chain.begun).sum()).isGreaterThan(1_000);
    });
  }

  // ---- the end of the executor, in a coroutine ----

  @Test
  void shutdown_rejectsTasks_andIsOverWhenTheLastHasEnded() {
    Heddle.run(() -> {
      ExecutorService executor = Loop.current().executor();
      Promise<Integer> release = new Promise<>();
      Future<Integer> future = executor.submit(() -> release.future().await());
      Heddle.yieldNow();
      executor.shutdown();
      assertThat(executor.isTerminated()).isFalse();
      assertThatThrownBy(() -> executor.execute(() -> {}))
          .isInstanceOf(RejectedExecutionException.class)
          .hasMessageContaining("was shut down");
      release.complete(42);
      assertThat(future.get()).isEqualTo(42);
      assertThat(executor.awaitTermination(1, TimeUnit.HOURS)).isTrue();
    });
  }

  @Test
  void shutdown_cancelsATaskThatRepeats_atOnce() {
    Heddle.run(() -> {
      ScheduledExecutorService executor = Loop.current().executor();
      Future<?> hourly = executor.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.HOURS);
      executor.shutdown();
      assertThat(hourly.isCancelled()).isTrue();
    });
  }

  @Test
  void shutdownNow_ofATaskWhoseCoroutineIsQueued_leavesNothingBehindInTheLoop() {
    VirtualTime.run(() -> {
      ExecutorService executor = Loop.current().executor();
      Future<List<Runnable>> handedBack = Loop.current().executor().submit(executor::shutdownNow);
      executor.execute(() -> {});
      assertThat(handedBack.get()).hasSize(1);
      Heddle.delay(Duration.ofSeconds(1));
      assertThat(LoopRuntime.current().pending()).isEmpty();
    });
  }

  @Test
  void shutdownNow_cancelsTheCoroutines() {
    VirtualTime.run(() -> {
      ExecutorService executor = Loop.current().executor();
      List<String> log = new ArrayList<>();
      executor.execute(() -> {
        try {
          Heddle.delay(Duration.ofHours(1));
          log.add("ended");
        } catch (Cancellation c) {
          log.add(c.getMessage());
          throw c;
        }
      });
      Heddle.delay(Duration.ofSeconds(1));
      assertThat(executor.shutdownNow()).isEmpty();
      Heddle.delay(Duration.ofHours(2));
      assertThat(log).containsExactly("its executor was shut down by shutdownNow()");
      assertThat(executor.isTerminated()).isTrue();
    });
  }

  @Test
  void invokeAny_cancelsTheLosers() {
    Heddle.run(() -> {
      ExecutorService executor = Loop.current().executor();
      CompletableFuture<String> loser = new CompletableFuture<>();
      Promise<Integer> release = new Promise<>();
      List<java.util.concurrent.Callable<String>> tasks =
          List.of(
              () -> {
                try {
                  release.future().await();
                  loser.complete("went on");
                } catch (Cancellation c) {
                  loser.complete("cancelled");
                  throw c;
                }
                return "slow";
              },
              () -> "quick");
      assertThat(executor.invokeAny(tasks)).isEqualTo("quick");
      Heddle.yieldNow(); // the request arrives
      release.complete(1);
      assertThat(Heddle.await(loser)).isEqualTo("cancelled");
    });
  }
}
