// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the Javadoc of [java.util.concurrent.Executor], [java.util.concurrent.ExecutorService],
/// [ScheduledExecutorService] and [Future] promises, as tests of any executor.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class ExecutorContract extends AsyncContract {
  /*
   * No suite for executors is published that one could depend on: the tests of JSR 166 are files of
   * OpenJDK's repository, each for one class of the JDK; Guava's testlib has suites for
   * collections, and for executors only doubles; a suite on top of it was never released. So these
   * tests are written from the text. Group by group, with the words that they test:
   *
   *   execute, submit   Executor: "executes the given command at some time in the future";
   *                     RejectedExecutionException, NullPointerException. ExecutorService: "the
   *                     Future's get method will return null upon successful completion", "the
   *                     given result"; its memory consistency effects. Future: get(), get(timeout),
   *                     isDone(), state(), resultNow(), exceptionNow()
   *   cancel            Future.cancel(): "this task should never run", "the thread executing this
   *                     task is interrupted", the values of isDone() and isCancelled() after it
   *   invokeAll         "in the same sequential order as produced by the iterator", "isDone() is
   *                     true for each element"; tasks that are not completed in time, or when the
   *                     caller is interrupted, are cancelled
   *   invokeAny         "one that has completed successfully"; ExecutionException,
   *                     TimeoutException, IllegalArgumentException; "upon normal or exceptional
   *                     return, tasks that have not completed are cancelled"
   *   later             ScheduledExecutorService: "zero and negative delays (but not periods) are
   *                     allowed", "subsequent executions may start late, but will not concurrently
   *                     execute", the three ends of a sequence of executions. Delayed: its order
   *   the end           shutdown(): "previously submitted tasks are executed, but no new tasks will
   *                     be accepted", "does not wait". shutdownNow(): "a list of the tasks that
   *                     were awaiting execution". isTerminated(), awaitTermination(). close():
   *                     "waits for all tasks to complete", and what an interrupt does to that
   */

  /// A task that runs until it is interrupted or released, and counts how it ended.
  private static final class Sleeper implements Callable<String> {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch release = new CountDownLatch(1);
    final CountDownLatch ended = new CountDownLatch(1);
    volatile boolean interrupted;

    @Override
    public String call() throws InterruptedException {
      begun.countDown();
      try {
        release.await();
        return "released";
      } catch (InterruptedException e) {
        interrupted = true;
        throw e;
      } finally {
        ended.countDown();
      }
    }
  }

  // ---- execute, submit ----

  @Test
  void execute_runsTheCommand() {
    CountDownLatch done = new CountDownLatch(1);
    executor().execute(done::countDown);
    await(done);
    assertThat(done.getCount()).isZero();
  }

  @Test
  void execute_ofACommandThatThrows_harmsNoOther() throws Exception {
    executor()
        .execute(() -> {
          throw new IllegalStateException("of the command, to be logged");
        });
    assertThat(executor().submit(() -> 42).get()).isEqualTo(42);
  }

  @Test
  void nullTasks_areRefused() {
    ScheduledExecutorService e = executor();
    Runnable noRunnable = null;
    Callable<String> noCallable = null;
    assertThatThrownBy(() -> e.execute(noRunnable)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> e.submit(noRunnable)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> e.submit(noRunnable, 1)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> e.submit(noCallable)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> e.schedule(noRunnable, 1, TimeUnit.HOURS))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> e.schedule(noCallable, 1, TimeUnit.HOURS))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> e.schedule(() -> 1, 1, null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> e.scheduleAtFixedRate(noRunnable, 1, 1, TimeUnit.HOURS))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> e.scheduleWithFixedDelay(noRunnable, 1, 1, TimeUnit.HOURS))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> e.invokeAll(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> e.invokeAny(null)).isInstanceOf(NullPointerException.class);
    List<Callable<Integer>> one = List.of(() -> 1);
    assertThatThrownBy(() -> e.invokeAll(one, 1, null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> e.invokeAny(one, 1, null)).isInstanceOf(NullPointerException.class);
    List<Callable<Integer>> oneIsNull = Arrays.asList(() -> 1, null);
    assertThatThrownBy(() -> e.invokeAll(oneIsNull)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> e.invokeAny(Arrays.asList((Callable<Integer>) null)))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  void submit_completesTheFutureWithTheResult() throws Exception {
    Future<Integer> future = executor().submit(() -> 42);
    assertThat(future.get()).isEqualTo(42);
    assertThat(future.get(1, TimeUnit.HOURS)).isEqualTo(42);
    assertThat(future.isDone()).isTrue();
    assertThat(future.isCancelled()).isFalse();
    assertThat(future.cancel(true)).isFalse();
    assertThat(future.state()).isEqualTo(Future.State.SUCCESS);
    assertThat(future.resultNow()).isEqualTo(42);
    assertThat(executor().submit(() -> {}).get()).isNull();
    assertThat(executor().submit(() -> {}, "given").get()).isEqualTo("given");
  }

  @Test
  void submit_ofATaskThatThrows_failsTheFutureWithTheSameObject() throws Exception {
    Exception failure = new Exception("of the task");
    Future<Integer> future =
        executor()
            .submit(() -> {
              throw failure;
            });
    assertThat(failureOf(future)).isSameAs(failure);
    assertThat(failureOf(future)).isSameAs(failure);
    assertThat(future.state()).isEqualTo(Future.State.FAILED);
    assertThat(future.exceptionNow()).isSameAs(failure);
    Error error = new AssertionError("of the runnable");
    assertThat(
            failureOf(
                executor()
                    .submit(() -> {
                      throw error;
                    })))
        .isSameAs(error);
  }

  @Test
  void submit_publishesBothWays() throws Exception {
    for (int i = 0; i < 1_000; i++) {
      int[] plain = {i};
      int[] seen =
          executor()
              .submit(() -> {
                int[] result = new int[1];
                result[0] = plain[0];
                return result;
              })
              .get();
      assertThat(seen[0]).isEqualTo(i);
    }
  }

  @Test
  void get_withATimeout_waitsNoLonger() throws Exception {
    Sleeper sleeper = new Sleeper();
    Future<String> future = executor().submit(sleeper);
    assertThatThrownBy(() -> future.get(1, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    assertThat(future.isDone()).isFalse();
    sleeper.release.countDown();
    assertThat(future.get()).isEqualTo("released");
  }

  @Test
  void get_ofACallerThatIsInterrupted_throws() throws Exception {
    Sleeper sleeper = new Sleeper();
    Future<String> future = executor().submit(sleeper);
    Thread.currentThread().interrupt();
    assertThatThrownBy(future::get).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
    sleeper.release.countDown();
    assertThat(future.get()).isEqualTo("released");
  }

  @Test
  void tasks_thatWaitForEachOther_runAtTheSameTime() throws Exception {
    CountDownLatch all = new CountDownLatch(10);
    Callable<Boolean> task =
        () -> {
          all.countDown();
          all.await();
          return true;
        };
    for (Future<Boolean> each : executor().invokeAll(java.util.Collections.nCopies(10, task))) {
      assertThat(each.get()).isTrue();
    }
  }

  // ---- cancel ----

  @Test
  void cancel_ofATaskThatRuns_interruptsItsWait() throws Exception {
    Sleeper sleeper = new Sleeper();
    Future<String> future = executor().submit(sleeper);
    await(sleeper.begun);
    assertThat(future.cancel(true)).isTrue();
    assertThat(future.isDone()).isTrue();
    assertThat(future.isCancelled()).isTrue();
    assertThat(future.cancel(true)).isFalse();
    assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
    await(sleeper.ended);
    assertThat(sleeper.interrupted).isTrue();
    assertThat(executor().submit(Thread::interrupted).get()).as("the flag of the next").isFalse();
  }

  @Test
  void cancel_withoutInterrupt_letsTheTaskGoOn() throws Exception {
    Sleeper sleeper = new Sleeper();
    Future<String> future = executor().submit(sleeper);
    await(sleeper.begun);
    assertThat(future.cancel(false)).isTrue();
    assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
    sleeper.release.countDown();
    await(sleeper.ended);
    assertThat(sleeper.interrupted).isFalse();
  }

  @Test
  void futureThatIsNotDone_hasNeitherResultNorFailure() throws Exception {
    Sleeper sleeper = new Sleeper();
    Future<String> future = executor().submit(sleeper);
    await(sleeper.begun);
    assertThat(future.state()).isEqualTo(Future.State.RUNNING);
    assertThatThrownBy(future::resultNow).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(future::exceptionNow).isInstanceOf(IllegalStateException.class);
    sleeper.release.countDown();
    assertThat(future.get()).isEqualTo("released");
    assertThatThrownBy(future::exceptionNow).isInstanceOf(IllegalStateException.class);
  }

  // ---- invokeAll, invokeAny ----

  @Test
  void invokeAll_waitsForAllAndKeepsTheOrder() throws Exception {
    assertThat(executor().invokeAll(List.<Callable<Integer>>of())).isEmpty();
    Exception failure = new Exception("of the second");
    List<Callable<Integer>> tasks =
        List.of(
            () -> 1,
            () -> {
              throw failure;
            },
            () -> 3);
    List<Future<Integer>> futures = executor().invokeAll(tasks);
    assertThat(futures).allMatch(Future::isDone);
    assertThat(futures.get(0).get()).isEqualTo(1);
    assertThat(failureOf(futures.get(1))).isSameAs(failure);
    assertThat(futures.get(2).get()).isEqualTo(3);
  }

  @Test
  void invokeAll_whoseTimeIsOver_cancelsWhatHasNotEnded() throws Exception {
    Sleeper sleeper = new Sleeper();
    CountDownLatch first = new CountDownLatch(1);
    List<Callable<String>> tasks =
        List.of(
            () -> {
              first.countDown();
              return "first";
            },
            sleeper);
    // on a slow machine the time may be over before any of them has begun
    List<Future<String>> futures = executor().invokeAll(tasks, 100, TimeUnit.MILLISECONDS);
    assertThat(futures).hasSize(2).allMatch(Future::isDone);
    assertThat(futures.get(1).isCancelled()).isTrue();
    if (sleeper.begun.getCount() == 0) {
      await(sleeper.ended);
      assertThat(sleeper.interrupted).isTrue();
    }
    assertThat(first.getCount() == 1 || futures.get(0).state() == Future.State.SUCCESS).isTrue();
  }

  @Test
  void invokeAll_ofACallerThatIsInterrupted_cancelsAll() throws Exception {
    Sleeper sleeper = new Sleeper();
    Thread caller = Thread.currentThread();
    Callable<String> interrupter =
        () -> {
          await(sleeper.begun);
          caller.interrupt();
          return "interrupted";
        };
    assertThatThrownBy(() -> executor().invokeAll(List.of(sleeper, interrupter)))
        .isInstanceOf(InterruptedException.class);
    await(sleeper.ended);
    assertThat(sleeper.interrupted).isTrue();
  }

  @Test
  void invokeAny_returnsASuccessAndCancelsTheOthers() throws Exception {
    Sleeper sleeper = new Sleeper();
    Callable<String> quick =
        () -> {
          sleeper.begun.await();
          return "quick";
        };
    Callable<String> failing =
        () -> {
          throw new Exception("not the only one");
        };
    assertThat(executor().invokeAny(List.of(failing, sleeper, quick))).isEqualTo("quick");
    await(sleeper.ended);
    assertThat(sleeper.interrupted).isTrue();
  }

  @Test
  void invokeAny_withoutASuccess_throws() {
    Exception failure = new Exception("of each");
    Callable<String> failing =
        () -> {
          throw failure;
        };
    assertThatThrownBy(() -> executor().invokeAny(List.of(failing, failing)))
        .isInstanceOf(ExecutionException.class)
        .hasCause(failure);
    assertThatThrownBy(() -> executor().invokeAny(List.<Callable<String>>of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void invokeAny_whoseTimeIsOver_throwsAndCancelsAll() throws Exception {
    Sleeper sleeper = new Sleeper();
    assertThatThrownBy(() -> executor().invokeAny(List.of(sleeper), 50, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    if (sleeper.begun.getCount() == 0) {
      await(sleeper.ended);
      assertThat(sleeper.interrupted).isTrue();
    }
    Callable<String> quick = () -> "in time";
    assertThat(executor().invokeAny(List.of(quick), 1, TimeUnit.HOURS)).isEqualTo("in time");
  }

  // ---- later ----

  @Test
  void schedule_runsTheTaskAfterItsDelay() throws Exception {
    long start = System.nanoTime();
    ScheduledFuture<Integer> future = executor().schedule(() -> 42, 20, TimeUnit.MILLISECONDS);
    assertThat(future.get()).isEqualTo(42);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(Duration.ofMillis(20).toNanos());
    assertThat(future.getDelay(TimeUnit.NANOSECONDS)).isNotPositive();
    assertThat(executor().schedule(() -> {}, -1, TimeUnit.DAYS).get()).isNull();
    assertThat(executor().schedule(() -> 0, 0, TimeUnit.DAYS).get()).isZero();
  }

  @Test
  void schedule_ordersFuturesByTheirTime() {
    ScheduledFuture<?> early = executor().schedule(() -> {}, 1, TimeUnit.HOURS);
    ScheduledFuture<?> late = executor().schedule(() -> {}, 2, TimeUnit.HOURS);
    ScheduledFuture<?> never = executor().schedule(() -> {}, Long.MAX_VALUE, TimeUnit.DAYS);
    assertThat(early.getDelay(TimeUnit.MINUTES)).isBetween(50L, 60L);
    assertThat(never.getDelay(TimeUnit.DAYS)).isGreaterThan(1_000);
    assertThat(early.compareTo(late)).isNegative();
    assertThat(late.compareTo(early)).isPositive();
    Delayed same = late;
    assertThat(late.compareTo(same)).isZero();
    assertThat(never.compareTo(late)).isPositive();
  }

  @Test
  void cancel_ofATaskThatWaitsForItsTime_leavesNothingToWaitFor() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    ScheduledFuture<?> future = executor().schedule(runs::incrementAndGet, 1, TimeUnit.HOURS);
    assertThat(future.cancel(false)).isTrue();
    assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
    assertThat(executor().shutdownNow()).allMatch(left -> ((Future<?>) left).isCancelled());
    assertThat(executor().awaitTermination(1, TimeUnit.HOURS)).isTrue();
    assertThat(runs).hasValue(0);
  }

  @Test
  void scheduleAtFixedRate_repeatsUntilItIsCancelled() throws Exception {
    repeatsUntilItIsCancelled(
        task -> executor().scheduleAtFixedRate(task, 1, 1, TimeUnit.MILLISECONDS));
  }

  @Test
  void scheduleWithFixedDelay_repeatsUntilItIsCancelled() throws Exception {
    repeatsUntilItIsCancelled(
        task -> executor().scheduleWithFixedDelay(task, 1, 1, TimeUnit.MILLISECONDS));
  }

  private void repeatsUntilItIsCancelled(
      java.util.function.Function<Runnable, ScheduledFuture<?>> schedule) throws Exception {
    CountDownLatch fiveTimes = new CountDownLatch(5);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger together = new AtomicInteger();
    ScheduledFuture<?> future =
        schedule.apply(() -> {
          together.accumulateAndGet(running.incrementAndGet(), Math::max);
          Thread.yield();
          running.decrementAndGet();
          fiveTimes.countDown();
        });
    await(fiveTimes);
    assertThat(future.isDone()).isFalse();
    assertThat(future.cancel(false)).isTrue();
    assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
    assertThat(together).as("at the same time").hasValue(1);
    executor().shutdown();
    assertThat(executor().awaitTermination(1, TimeUnit.HOURS)).isTrue();
  }

  @Test
  void periodicTask_thatThrows_isNotRepeated() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    RuntimeException failure = new RuntimeException("of the third run");
    ScheduledFuture<?> future =
        executor()
            .scheduleAtFixedRate(
                () -> {
                  if (runs.incrementAndGet() == 3) {
                    throw failure;
                  }
                },
                0,
                1,
                TimeUnit.MICROSECONDS);
    assertThat(failureOf(future)).isSameAs(failure);
    executor().shutdown();
    assertThat(executor().awaitTermination(1, TimeUnit.HOURS)).isTrue();
    assertThat(runs).hasValue(3);
  }

  @Test
  void periods_mustBePositive() {
    for (int period : new int[] {0, -1}) {
      assertThatThrownBy(
              () -> executor().scheduleAtFixedRate(() -> {}, 1, period, TimeUnit.SECONDS))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(
              () -> executor().scheduleWithFixedDelay(() -> {}, 1, period, TimeUnit.SECONDS))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  // ---- the end ----

  @Test
  void shutdown_letsTasksFinishAndRejectsOthers() throws Exception {
    ScheduledExecutorService e = executor();
    Sleeper sleeper = new Sleeper();
    Future<String> future = e.submit(sleeper);
    await(sleeper.begun);
    assertThat(e.isShutdown()).isFalse();
    e.shutdown();
    e.shutdown();
    assertThat(e.isShutdown()).isTrue();
    assertThat(e.isTerminated()).isFalse();
    assertThat(e.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
    assertRejects(e);
    sleeper.release.countDown();
    assertThat(future.get()).isEqualTo("released");
    assertThat(e.awaitTermination(1, TimeUnit.HOURS)).isTrue();
    assertThat(e.isTerminated()).isTrue();
  }

  private static void assertRejects(ScheduledExecutorService e) {
    assertThatThrownBy(() -> e.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    assertThatThrownBy(() -> e.submit(() -> 1)).isInstanceOf(RejectedExecutionException.class);
    List<Callable<Integer>> one = List.of(() -> 1);
    assertThatThrownBy(() -> e.invokeAll(one)).isInstanceOf(RejectedExecutionException.class);
    assertThatThrownBy(() -> e.invokeAny(one)).isInstanceOf(RejectedExecutionException.class);
    assertThatThrownBy(() -> e.schedule(() -> 1, 1, TimeUnit.MILLISECONDS))
        .isInstanceOf(RejectedExecutionException.class);
    assertThatThrownBy(() -> e.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.MILLISECONDS))
        .isInstanceOf(RejectedExecutionException.class);
  }

  @Test
  void shutdown_runsWhatWaitsForItsTimeAndCancelsWhatRepeats() throws Exception {
    ScheduledExecutorService e = executor();
    ScheduledFuture<Integer> once = e.schedule(() -> 42, 20, TimeUnit.MILLISECONDS);
    ScheduledFuture<?> periodic = e.scheduleAtFixedRate(() -> {}, 0, 1, TimeUnit.MILLISECONDS);
    ScheduledFuture<?> repeatsInAnHour = e.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.HOURS);
    e.shutdown();
    assertThat(repeatsInAnHour.isCancelled()).isTrue();
    assertThat(e.awaitTermination(1, TimeUnit.HOURS)).isTrue();
    assertThat(once.get()).isEqualTo(42);
    assertThat(periodic.isCancelled()).isTrue();
  }

  @Test
  void shutdown_runsAllThatWasSubmittedBefore() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    for (int i = 0; i < 100; i++) {
      executor().execute(runs::incrementAndGet);
    }
    executor().shutdown();
    assertThat(executor().awaitTermination(1, TimeUnit.HOURS)).isTrue();
    assertThat(runs).hasValue(100);
  }

  @Test
  void awaitTermination_withoutATime_returnsAtOnce() throws Exception {
    assertThat(executor().awaitTermination(0, TimeUnit.NANOSECONDS)).isFalse();
    assertThat(executor().awaitTermination(-1, TimeUnit.DAYS)).isFalse();
    executor().shutdown();
    assertThat(executor().awaitTermination(1, TimeUnit.HOURS)).isTrue();
    assertThat(executor().awaitTermination(0, TimeUnit.NANOSECONDS)).isTrue();
  }

  @Test
  void close_aSecondTime_doesNothing() {
    executor().close();
    executor().close();
    assertThat(executor().isTerminated()).isTrue();
  }

  @Test
  void shutdown_ofAnIdleExecutor_terminatesIt() throws Exception {
    ScheduledExecutorService e = executor();
    assertThat(e.isTerminated()).isFalse();
    e.shutdown();
    assertThat(e.awaitTermination(1, TimeUnit.HOURS)).isTrue();
  }

  @Test
  void shutdownNow_interruptsWhatRunsAndReturnsWhatHasNotBegun() throws Exception {
    ScheduledExecutorService e = executor();
    Sleeper sleeper = new Sleeper();
    Future<String> running = e.submit(sleeper);
    await(sleeper.begun);
    ScheduledFuture<Integer> waiting = e.schedule(() -> 42, 1, TimeUnit.HOURS);
    List<Runnable> neverBegun = e.shutdownNow();
    assertThat(neverBegun).singleElement().isSameAs(waiting);
    await(sleeper.ended);
    assertThat(sleeper.interrupted).isTrue();
    assertThat(e.awaitTermination(1, TimeUnit.HOURS)).isTrue();
    assertThat(running.isDone()).isTrue();
    assertThat(waiting.isDone()).as("its caller may run it").isFalse();
    assertRejects(e);
    assertThat(e.shutdownNow()).isEmpty();
  }

  @Test
  void close_waitsForWhatRuns() throws Exception {
    ScheduledExecutorService e = executor();
    Sleeper sleeper = new Sleeper();
    Future<String> future = e.submit(sleeper);
    Thread.ofPlatform()
        .start(() -> {
          await(sleeper.begun);
          sleeper.release.countDown();
        });
    e.close();
    assertThat(e.isTerminated()).isTrue();
    assertThat(future.resultNow()).isEqualTo("released");
  }

  @Test
  void close_thatIsInterrupted_stopsWhatRuns() throws Exception {
    ScheduledExecutorService e = executor();
    Sleeper sleeper = new Sleeper();
    @Nullable Future<String> future = e.submit(sleeper);
    await(sleeper.begun);
    Thread.currentThread().interrupt();
    e.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(e.isTerminated()).isTrue();
    assertThat(sleeper.interrupted).isTrue();
    assertThat(future.isDone()).isTrue();
  }

  @Test
  void awaitTermination_ofACallerThatIsInterrupted_throws() {
    ScheduledExecutorService e = executor();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> e.awaitTermination(1, TimeUnit.HOURS))
        .isInstanceOf(InterruptedException.class);
  }
}
