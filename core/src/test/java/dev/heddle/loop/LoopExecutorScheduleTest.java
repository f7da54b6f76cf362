// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.LoopEndedException;
import dev.heddle.event.Promise;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tasks of an executor of a loop that begin later, or again and again. Time is virtual here.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopExecutorScheduleTest {
  private static Throwable failureOf(Future<?> future) throws InterruptedException {
    try {
      throw new AssertionError("succeeded with " + future.get());
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  @Test
  void fixedRate_keepsThePace_fixedDelayThePause() {
    VirtualTime.run(() -> {
      ScheduledExecutorService executor = Loop.current().executor();
      List<Long> rate = new ArrayList<>();
      List<Long> delay = new ArrayList<>();
      long start = now();
      ScheduledFuture<?> first =
          executor.scheduleAtFixedRate(() -> work(rate, start), 10, 10, TimeUnit.SECONDS);
      ScheduledFuture<?> second =
          executor.scheduleWithFixedDelay(() -> work(delay, start), 10, 10, TimeUnit.SECONDS);
      Heddle.delay(Duration.ofSeconds(45));
      assertThat(rate).containsExactly(10L, 20L, 30L, 40L);
      assertThat(delay).containsExactly(10L, 23L, 36L);
      assertThat(first.cancel(false) && second.cancel(false)).isTrue();
      Heddle.delay(Duration.ofHours(1));
      assertThat(rate).hasSize(4);
      assertThat(delay).hasSize(3);
    });
  }

  private static long now() {
    return dev.heddle.coroutine.tree.CoroutineNode.current().scheduler().nanoTime();
  }

  private static void work(List<Long> log, long start) {
    log.add(Duration.ofNanos(now() - start).toSeconds());
    Heddle.delay(Duration.ofSeconds(3));
  }

  @Test
  void periodicTask_longerThanItsPeriod_catchesUpAndNeverRunsTwiceAtOnce() {
    VirtualTime.run(() -> {
      ScheduledExecutorService executor = Loop.current().executor();
      List<Long> begun = new ArrayList<>();
      long start = now();
      ScheduledFuture<?> future =
          executor.scheduleAtFixedRate(() -> work(begun, start), 0, 2, TimeUnit.SECONDS);
      Heddle.delay(Duration.ofSeconds(10));
      assertThat(begun).containsExactly(0L, 3L, 6L, 9L);
      future.cancel(true);
    });
  }

  /// Its coroutine is queued already when the task before it takes it back.
  @Test
  @Tag("loop-363")
  void periodicTask_thatIsTakenBackBeforeItBegins_hasNoNextRun() {
    VirtualTime.run(() -> {
      LoopRuntime loop = LoopRuntime.current();
      TaskRegistry<ExecutorTask> registry = new TaskRegistry<>();
      List<Long> log = new ArrayList<>();
      long start = now();
      ScheduledTask<?> future =
          new ScheduledTask<>(
              loop.scheduler(), start, TimeUnit.SECONDS.toNanos(10), () -> work(log, start), null);
      ExecutorTask task = new ExecutorTask(registry, loop, null, future);
      future.setTask(task);
      registry.add(task);
      Future<Boolean> taken = Loop.current().executor().submit(task::takeBack);
      assertThat(task.post()).isTrue();
      assertThat(taken.get()).isTrue();
      Heddle.delay(Duration.ofHours(1));
      assertThat(log).isEmpty();
      assertThat(loop.pending()).isEmpty();
      assertThat(registry.size()).isZero();
      assertThat(timers()).isZero();
    });
  }

  /// As a ScheduledThreadPoolExecutor: what it hands back is not cancelled.
  @Test
  @Tag("loop-363")
  void periodicTask_thatShutdownNowHandsBack_isLeftAsItIs() {
    VirtualTime.run(() -> {
      ScheduledExecutorService executor = Loop.current().executor();
      Future<List<Runnable>> handedBack = Loop.current().executor().submit(executor::shutdownNow);
      int[] runs = {0};
      ScheduledFuture<?> future =
          executor.scheduleAtFixedRate(() -> runs[0]++, 0, 10, TimeUnit.SECONDS);
      assertThat(handedBack.get()).hasSize(1).first().isSameAs(future);
      assertThat(executor.isTerminated()).isTrue();
      Heddle.delay(Duration.ofHours(1));
      assertThat(runs[0]).isZero();
      assertThat(future.isDone()).isFalse();
      assertThat(timers()).isZero();
    });
  }

  /// The registry hands it back between the end of a run and the next timer.
  @Test
  @Tag("loop-363")
  void periodicTask_thatShutdownNowHandsBackBetweenTwoRuns_isLeftAsItIs() {
    VirtualTime.run(() -> {
      LoopRuntime loop = LoopRuntime.current();
      List<ExecutorTask> taken = new ArrayList<>();
      TaskRegistry<ExecutorTask> registry =
          new TaskRegistry<>() {
            @Override
            boolean isOpen() {
              all()
                  .forEach(task -> {
                    if (task.takeBack()) { // as another thread's shutdownNow()
                      taken.add(task);
                    }
                  });
              return super.isOpen();
            }
          };
      List<Long> log = new ArrayList<>();
      long start = now();
      ScheduledTask<?> future =
          new ScheduledTask<>(
              loop.scheduler(), start, TimeUnit.SECONDS.toNanos(10), () -> work(log, start), null);
      ExecutorTask task = new ExecutorTask(registry, loop, null, future);
      future.setTask(task);
      registry.add(task);
      registry.stop();
      assertThat(task.post()).isTrue();
      Heddle.delay(Duration.ofHours(1));
      assertThat(log).containsExactly(0L);
      assertThat(taken).containsExactly(task);
      assertThat(future.isDone()).isFalse();
      assertThat(loop.pending()).isEmpty();
      assertThat(registry.size()).isZero();
      assertThat(timers()).isZero();
    });
  }

  @Test
  @Tag("loop-363")
  void periodicTask_thatIsCancelledWhileItRuns_hasNoNextRun() {
    VirtualTime.run(() -> {
      ScheduledExecutorService executor = Loop.current().executor();
      List<Long> begun = new ArrayList<>();
      long start = now();
      ScheduledFuture<?> rate =
          executor.scheduleAtFixedRate(() -> work(begun, start), 0, 2, TimeUnit.SECONDS);
      ScheduledFuture<?> delay =
          executor.scheduleWithFixedDelay(
              () -> {
                try {
                  work(begun, start);
                } catch (Cancellation _) {
                  // swallowed
                }
              },
              0,
              2,
              TimeUnit.SECONDS);
      Heddle.delay(Duration.ofSeconds(1));
      assertThat(rate.cancel(false) && delay.cancel(true)).isTrue();
      Heddle.delay(Duration.ofHours(1));
      assertThat(begun).containsExactly(0L, 0L);
      executor.shutdown();
      assertThat(executor.isTerminated()).isTrue();
    });
  }

  @Test
  void scheduledTask_thatWillWakeACoroutine_isNoDeadlock() {
    VirtualTime.run(() -> {
      Promise<Integer> promise = new Promise<>();
      var _ = Loop.current().executor().schedule(() -> promise.complete(42), 1, TimeUnit.HOURS);
      assertThat(promise.future().await()).isEqualTo(42);
    });
  }

  /// So a program with such a task is never reported as deadlocked.
  @Test
  void periodicTask_excludesADeadlock_becauseItsNextRunMayWakeTheWaiter() {
    VirtualTime.run(() -> {
      Promise<Integer> promise = new Promise<>();
      int[] runs = {0};
      ScheduledFuture<?> hourly =
          Loop.current()
              .executor()
              .scheduleAtFixedRate(
                  () -> {
                    if (++runs[0] == 3) {
                      promise.complete(42);
                    }
                  },
                  1,
                  1,
                  TimeUnit.HOURS);
      assertThat(promise.future().await()).isEqualTo(42);
      assertThat(hourly.cancel(false)).isTrue();
    });
  }

  @Test
  void schedule_ofARunnable_completesWithNull() {
    VirtualTime.run(() -> {
      ScheduledFuture<?> future = Loop.current().executor().schedule(() -> {}, 1, TimeUnit.HOURS);
      assertThat(future.get()).isNull();
    });
  }

  @Test
  void scheduledTask_thatWaitsForItsTime_doesNotKeepTheLoopAlive() throws Exception {
    AtomicReference<Future<?>> left = new AtomicReference<>();
    Heddle.run(() -> {
      left.set(Loop.current().executor().schedule(() -> 42, 1, TimeUnit.DAYS));
      Heddle.yieldNow();
    });
    assertThat(failureOf(left.get())).isInstanceOf(LoopEndedException.class);
  }

  @Test
  void cancelledTask_leavesNoTimer() {
    VirtualTime.run(() -> {
      ScheduledExecutorService executor = Loop.current().executor();
      List<ScheduledFuture<?>> all = new ArrayList<>();
      int before = timers();
      for (int i = 0; i < 10; i++) {
        all.add(executor.schedule(() -> {}, 1, TimeUnit.HOURS));
      }
      Heddle.yieldNow();
      assertThat(timers()).isEqualTo(before + 10);
      all.forEach(future -> future.cancel(false));
      Heddle.yieldNow();
      assertThat(timers()).isEqualTo(before);
    });
  }

  private static int timers() {
    return dev.heddle.coroutine.tree.CoroutineNode.current().scheduler().timers().size();
  }
}
