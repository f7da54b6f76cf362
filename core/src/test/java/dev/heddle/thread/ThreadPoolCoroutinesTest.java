// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Future;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Pools whose tasks are coroutines.
@Tag("T17")
@Timeout(300)
class ThreadPoolCoroutinesTest {
  private static final Duration LONG = Duration.ofMinutes(1); // only a test that fails takes it
  private static final ThreadPoolOptions ONE =
      ThreadPoolOptions.defaults().withName("one").withWorkers(1).withCapacity(100);

  private final ConcurrentLinkedQueue<Object> log = new ConcurrentLinkedQueue<>();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  private void begun() {
    most.accumulateAndGet(running.incrementAndGet(), Math::max);
  }

  // ---- how many ----

  @Test
  @Tag("loop-270")
  void tasks_runSoManyAtATimeOnOneThread() {
    CyclicBarrier pairs = new CyclicBarrier(2); // a task that is alone would wait here for ever
    Set<Scheduler> loops = ConcurrentHashMap.newKeySet();
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(ONE.withCoroutines(2))) {
        List<Future<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          all.add(
              pool.submit(() -> {
                begun();
                loops.add(CoroutineNode.current().scheduler());
                pairs.await();
                Heddle.yieldNow();
                return running.decrementAndGet();
              }));
        }
        all.forEach(Future::await);
        assertThat(pool.workers()).isEqualTo(1);
      }
    });
    assertThat(most).hasValue(2);
    assertThat(loops).hasSize(1);
  }

  @Test
  @Tag("loop-270")
  void tasks_oneAtATime_runInTheOrderOfSubmission() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(ONE.withCoroutines(1))) {
        List<Future<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          int number = i;
          all.add(
              pool.submit(() -> {
                begun();
                Heddle.yieldNow();
                Heddle.delay(Duration.ofNanos(1));
                running.decrementAndGet();
                return log.add(number);
              }));
        }
        all.forEach(Future::await);
      }
    });
    assertThat(most).hasValue(1);
    assertThat(log).containsExactly(0, 1, 2, 3, 4, 5);
  }

  @Test
  void tasks_areSpreadOverTheThreads() {
    Set<Scheduler> loops = ConcurrentHashMap.newKeySet();
    Heddle.run(() -> {
      CountDownLatch all = new CountDownLatch(3); // a thread waits here until each has a task
      try (ThreadPool pool = new ThreadPool(ONE.withWorkers(3).withCoroutines(10))) {
        var _ =
            pool.map(
                List.of(1, 2, 3),
                _ -> {
                  loops.add(CoroutineNode.current().scheduler());
                  all.countDown();
                  while (all.getCount() > 0) {
                    Thread.onSpinWait(); // holds its loop, which can take no other task
                  }
                  return 1;
                });
        assertThat(pool.workers()).isEqualTo(3);
      }
    });
    assertThat(loops).hasSize(3);
  }

  @Test
  void taskThatHoldsItsThread_leavesTheNextInTheQueue() {
    Heddle.run(() -> {
      CountDownLatch begun = new CountDownLatch(1);
      AtomicBoolean goOn = new AtomicBoolean();
      ThreadPool pool = new ThreadPool(ONE.withCoroutines(2));
      Future<Integer> holding =
          pool.submit(() -> {
            begun.countDown();
            while (!goOn.get()) {
              Thread.onSpinWait();
            }
            return 1;
          });
      begun.await();
      Future<Boolean> next = pool.submit(() -> log.add("next"));
      pool.cancel(); // rejects what is queued
      goOn.set(true);
      assertThatThrownBy(next::await).hasMessageContaining("'one' was cancelled");
      assertThat(holding.await()).isEqualTo(1);
      pool.close();
    });
    assertThat(log).isEmpty();
  }

  @Test
  @Tag("loop-269")
  void submit_beyondWhatRunsAndIsQueued_suspends() {
    Heddle.run(() -> {
      CountDownLatch open = new CountDownLatch(1);
      try (ThreadPool pool = new ThreadPool(ONE.withCoroutines(2).withCapacity(1))) {
        for (int i = 0; i < 3; i++) {
          pool.submit(
                  () -> {
                    open.await();
                    return 1;
                  })
              .ignore();
        }
        var late = Heddle.spawn(() -> pool.submit(() -> 4).await());
        Heddle.yieldNow();
        assertThat(pool.info()).contains("1 of 1 threads, 3 tasks, 1 waiting to submit");
        open.countDown();
        assertThat(late.await()).isEqualTo(4);
      }
    });
  }

  // ---- what a task may do ----

  @Test
  void task_usesAllOfHeddle() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(ONE.withCoroutines(10))) {
        int sum =
            pool.run(() ->
                Heddle.scope(s -> {
                  var one = s.spawn(() -> 1);
                  Heddle.delay(Duration.ofNanos(1));
                  return one.await() + Heddle.offload(() -> 2);
                }));
        assertThat(sum).isEqualTo(3);
      }
    });
  }

  @Test
  @Tag("loop-265")
  void task_thatThrows_failsItsFutureAndLeavesTheThreadServing() {
    IllegalStateException unchecked = new IllegalStateException("unchecked");
    IOException checked = new IOException("checked");
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(ONE.withCoroutines(3))) {
        Scheduler loop = pool.run(() -> CoroutineNode.current().scheduler());
        assertThatThrownBy(() -> pool.run(() -> fail(unchecked))).isSameAs(unchecked);
        assertThatThrownBy(pool.submit(() -> fail(checked))::await)
            .isInstanceOf(CoroutineException.class)
            .hasCause(checked);
        assertThat(pool.run(() -> CoroutineNode.current().scheduler())).isSameAs(loop);
      }
    });
  }

  private static Object fail(Exception with) throws Exception {
    throw with;
  }

  @Test
  @Tag("loop-274")
  void coroutineThatATaskHasSpawned_isCancelledWhenTheTaskEnds() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(ONE.withCoroutines(2))) {
        int result =
            pool.run(() -> {
              Heddle.spawn(() -> waitLong("child"));
              Heddle.yieldNow();
              return 42;
            });
        assertThat(result).isEqualTo(42);
        assertThat(log).as("before the task has ended").containsExactly("child");
      }
    });
  }

  @Test
  @Tag("loop-274")
  void spawn_onAThreadWithoutALoop_isRefused() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(ONE)) {
        assertThatThrownBy(() -> pool.run(() -> Heddle.spawn(() -> 1)))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("not inside a coroutine");
      }
    });
  }

  @Test
  void coroutineThatATaskHasSpawned_failsTheTask_andNoOther() {
    IllegalStateException failure = new IllegalStateException("of the child");
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(ONE.withCoroutines(2))) {
        CountDownLatch open = new CountDownLatch(1);
        Future<Integer> other =
            pool.submit(() -> {
              open.await();
              return 1;
            });
        Future<Boolean> failing =
            pool.submit(() -> {
              Heddle.spawn(() -> fail(failure));
              return waitLong("body");
            });
        assertThatThrownBy(failing::await).isSameAs(failure);
        open.countDown();
        assertThat(other.await()).isEqualTo(1);
      }
    });
    assertThat(log).containsExactly("body");
  }

  /// Waits until it is cancelled, or long enough that a cancellation must have come.
  private boolean waitLong(String who) {
    try {
      Heddle.delay(LONG);
      return false;
    } catch (Cancellation c) {
      log.add(who);
      throw c;
    }
  }

  // ---- cancelling ----

  @Test
  @Tag("loop-272")
  void cancel_ofATaskThatWaits_endsItsWaitAndItsCoroutines() {
    Heddle.run(() -> {
      CountDownLatch begun = new CountDownLatch(1);
      try (ThreadPool pool = new ThreadPool(ONE.withCoroutines(1))) {
        Future<Boolean> future =
            pool.submit(() -> {
              Heddle.spawn(() -> waitLong("child"));
              Heddle.yieldNow();
              begun.countDown();
              try {
                return waitLong("task");
              } catch (Cancellation c) {
                log.add(c.getMessage());
                throw c;
              }
            });
        begun.await();
        future.cancel("changed my mind");
        // its place is free again, and the next one is not cancelled
        assertThat(pool.run(() -> Heddle.current().isCancelled())).isFalse();
        assertThatThrownBy(future::await).isInstanceOf(Cancellation.class);
      }
    });
    assertThat(log).containsExactlyInAnyOrder("child", "task", "changed my mind");
  }

  @Test
  @Tag("loop-272")
  void cancel_ofATaskThatWaitsInTheJdk_interruptsIt() {
    Heddle.run(() -> {
      CountDownLatch begun = new CountDownLatch(1);
      try (ThreadPool pool = new ThreadPool(ONE.withCoroutines(1))) {
        Future<Integer> future =
            pool.submit(() -> {
              begun.countDown();
              try {
                new CountDownLatch(1).await();
                return 1;
              } catch (InterruptedException e) {
                log.add("interrupted");
                throw e;
              }
            });
        begun.await();
        future.cancel("enough");
        assertThat(pool.run(() -> Thread.currentThread().isInterrupted())).isFalse();
      }
    });
    assertThat(log).containsExactly("interrupted");
  }

  @Test
  @Tag("loop-272")
  void cancel_ofAQueuedTask_keepsItFromRunning_andLetsGoOfIt() {
    Heddle.run(() -> {
      CountDownLatch open = new CountDownLatch(1);
      try (ThreadPool pool = new ThreadPool(ONE.withCoroutines(1))) {
        Future<Integer> first =
            pool.submit(() -> {
              open.await();
              return 1;
            });
        WeakReference<Object> captured = cancelledWithCapture(pool);
        while (captured.get() != null) {
          System.gc();
        }
        open.countDown();
        assertThat(first.await()).isEqualTo(1);
      }
    });
    assertThat(log).isEmpty();
  }

  private WeakReference<Object> cancelledWithCapture(ThreadPool pool) {
    Object captured = new Object();
    Future<Boolean> queued = pool.submit(() -> log.add(captured));
    queued.cancel("enough");
    Heddle.yieldNow();
    return new WeakReference<>(captured);
  }

  @Test
  @Tag("loop-268")
  void cancel_ofThePool_letsWhatRunsFinishAndRejectsWhatIsQueued() {
    Heddle.run(() -> {
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch open = new CountDownLatch(1);
      ThreadPool pool = new ThreadPool(ONE.withCoroutines(1));
      Future<String> first =
          pool.submit(() -> {
            begun.countDown();
            open.await();
            Heddle.yieldNow();
            return "done";
          });
      begun.await();
      Future<Boolean> queued = pool.submit(() -> log.add("queued"));
      pool.cancel();
      assertThatThrownBy(queued::await)
          .isInstanceOf(Cancellation.class)
          .hasMessageContaining("'one' was cancelled");
      open.countDown();
      assertThat(first.await()).isEqualTo("done");
      pool.close();
      assertThat(pool.workers()).isZero();
    });
    assertThat(log).isEmpty();
  }

  @Test
  void close_awaitsWhatRunsAndWhatIsQueued() {
    Heddle.run(() -> {
      List<Future<Integer>> futures = new ArrayList<>();
      try (ThreadPool pool = new ThreadPool(ONE.withWorkers(2).withCoroutines(3))) {
        for (int i = 0; i < 50; i++) {
          int number = i;
          futures.add(
              pool.submit(() -> {
                Heddle.yieldNow();
                return number;
              }));
        }
      }
      assertThat(futures)
          .extracting(Future::result)
          .isEqualTo(IntStream.range(0, 50).boxed().toList());
    });
  }

  // ---- the end ----

  @Test
  @Tag("loop-281")
  void endOfThePoolsLoop_cancelsWhatRuns() throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    Heddle.run(() -> {
      ThreadPool pool = new ThreadPool(ONE.withCoroutines(2));
      pool.submit(
              () -> {
                begun.countDown();
                try {
                  return waitLong("task");
                } finally {
                  ended.countDown();
                }
              })
          .ignore();
      begun.await();
    });
    ended.await();
    assertThat(log).containsExactly("task");
  }

  /// An interrupt that reaches a carrier while a coroutine is mounted on it is lost: the JDK clears
  /// the flag as it unmounts the coroutine.
  @Test
  @Tag("loop-281")
  void endOfThePoolsLoop_whileATaskHoldsItsThread_cancelsTheNextWait() throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean over = new AtomicBoolean();
    Heddle.run(() -> {
      ThreadPool pool = new ThreadPool(ONE.withCoroutines(2));
      pool.submit(
              () -> {
                begun.countDown();
                try {
                  while (!over.get()) {
                    Thread.onSpinWait();
                  }
                  return waitLong("task");
                } finally {
                  ended.countDown();
                }
              })
          .ignore();
      begun.await();
    });
    over.set(true);
    ended.await();
    assertThat(log).containsExactly("task");
  }

  @Test
  @Tag("loop-281")
  void endOfThePoolsLoop_releasesTasksThatWaitForItsChannel() throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    Heddle.run(() -> {
      ThreadChannel<Integer> channel = ThreadChannel.of(1);
      ThreadPool pool = new ThreadPool(ONE);
      pool.submit(
              () -> {
                begun.countDown();
                try {
                  return channel.receive();
                } finally {
                  ended.countDown();
                }
              })
          .ignore();
      begun.await();
    });
    ended.await();
    assertThat(ended.getCount()).isZero();
  }

  /// A task that waits where nothing ends its wait is abandoned at its loop's shutdown deadline.
  @Test
  void taskThatItsLoopAbandons_failsWithTheLoop() {
    IllegalStateException failure = new IllegalStateException("of a coroutine of the root scope");
    Semaphore never = new Semaphore(0);
    Heddle.run(
        HeddleOptions.defaults().withShutdownDeadline(Duration.ofMillis(1)),
        () -> {
          try (ThreadPool pool = new ThreadPool(ONE.withCoroutines(2))) {
            Future<Integer> stuck =
                pool.submit(() -> {
                  CoroutineNode.current().tree().root().launch("failing", () -> fail(failure));
                  never.acquireUninterruptibly();
                  return 1;
                });
            assertThatThrownBy(stuck::await)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("of a coroutine of the root scope");
          } finally {
            never.release();
          }
        });
  }

  @Test
  void loopOfAWorkerThatFails_isReplaced() {
    IllegalStateException failure = new IllegalStateException("of a coroutine of the root scope");
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(ONE.withCoroutines(2))) {
        Scheduler first = pool.run(() -> CoroutineNode.current().scheduler());
        Future<Boolean> running =
            pool.submit(() -> {
              CoroutineNode.current().tree().root().launch("failing", () -> fail(failure));
              return waitLong("task");
            });
        assertThatThrownBy(running::await).isInstanceOf(Cancellation.class);
        while (!first.hasEnded()) {
          Heddle.yieldNow();
        }
        assertThat(pool.run(() -> CoroutineNode.current().scheduler())).isNotSameAs(first);
      }
    });
    assertThat(log).containsExactly("task");
  }
}
