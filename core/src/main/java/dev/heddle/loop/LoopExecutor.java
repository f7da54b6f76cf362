// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.internal.Nanos;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// An executor whose tasks are coroutines of one or several loops.
///
/// **Thread** any.
public final class LoopExecutor extends AbstractExecutorService
    implements ScheduledExecutorService {
  /*
   * The JDK does what it does well: AbstractExecutorService has submit and invokeAll, and
   * FutureTask the states of a future. This class accepts tasks and ends; TaskRegistry has its
   * states; ExecutorTask runs one task.
   *
   * Accepting. A task is in the registry from before it is posted until it has ended. accepts()
   * adds it, asks whether the executor is open, posts it, and asks whether the loop takes tasks. So
   * for each call that ends the executor, that call sees the task, or accepts() sees the end and
   * takes the task back. For the end of the loop: the loop first stops taking tasks, and then
   * empties its inbox once more (LoopShutdown). So a task that was posted too late for that is
   * taken back, and any other one begins.
   *
   * An executor of several loops offers a task to one loop after the other. A loop that stops is
   * left out.
   *
   * I1. A task that was accepted ends, is returned by shutdownNow(), or its future fails, whatever
   *     happens to the loop. A task without a future begins, unless the loop ends at once or its
   *     time is over; then the loop reports it. [LoopExecutorTest, LoopExecutorEndTest]
   * I2. awaitTermination() returns true only when no task runs and none will.
   *     [ExecutorContractTest]
   *
   * Memory order. accepts(): the insertion into the registry, the read of its state, the CAS that
   * posts the task, the read of what the loop takes. The other thread: the write of the state, then
   * the reads of the tasks; the loop: the write of what it takes, then the exchange that empties
   * its inbox. All are in one total order, so one of the two reads sees the other's write (Dekker).
   *
   * Cost. A task from outside: an atomic increment, an entry of a concurrent set, one post to the
   * loop's inbox.
   *
   * Rejected. One executor for each loop, always the same: the libraries that are given it shut it
   * down. A CompletableFuture for each task: it cannot reach the coroutine that it is to cancel.
   * AbstractExecutorService.invokeAny: it wraps each future in another one, which this executor
   * cannot fail when the loop ends.
   */
  private final LoopRuntime[] loops;
  private final CompletableFuture<?> loopsEnded;
  private final @Nullable String name; // of its tasks

  // any thread
  private final AtomicInteger nextLoop = new AtomicInteger();
  private final AtomicLong named = new AtomicLong(); // tasks that have a name
  private final TaskRegistry<ExecutorTask> tasks = new TaskRegistry<>();

  /// An executor whose tasks run on the loops in turn.
  ///
  /// @param loops at least one
  /// @param loopsEnded completes when all of them have ended; the same one for many executors
  /// @param name of the tasks, to which their number is appended; null: they have none
  public LoopExecutor(
      List<LoopRuntime> loops, CompletableFuture<?> loopsEnded, @Nullable String name) {
    this.loops = loops.toArray(LoopRuntime[]::new);
    this.loopsEnded = loopsEnded;
    this.name = name;
  }

  // ---- accepting ----

  @Override
  public void execute(Runnable command) {
    Objects.requireNonNull(command, "command");
    String taskName = nextName();
    var _ = accept(loop -> new ExecutorTask(tasks, loop, taskName, command));
  }

  private @Nullable String nextName() {
    return name == null ? null : name + "-" + named.incrementAndGet();
  }

  private ExecutorTask accept(Function<LoopRuntime, ExecutorTask> taskOn) {
    int first = loops.length == 1 ? 0 : nextLoop.getAndIncrement();
    for (int i = 0; i < loops.length && tasks.isOpen(); i++) {
      LoopRuntime loop = loops[Math.floorMod(first + i, loops.length)];
      if (loop.shutdown().takesTasks()) {
        ExecutorTask task = taskOn.apply(loop);
        if (accepts(task)) {
          return task;
        }
      }
    }
    throw new RejectedExecutionException(refusal());
  }

  private boolean accepts(ExecutorTask task) {
    tasks.add(task);
    if (tasks.isOpen() && task.post() && task.loop().shutdown().takesTasks()) {
      return true;
    }
    // if it cannot be taken back, it has begun, or a concurrent shutdownNow() has returned it
    return !task.takeBack();
  }

  private String refusal() {
    String what = loops.length == 1 ? loops[0].describe() : loops.length + " loops";
    if (!tasks.isOpen()) {
      return "the executor of " + what + " was shut down; submit before that, or get another one";
    }
    if (loops.length > 1) {
      return "none of the " + what + " takes a task, as each has ended or stops; start others";
    }
    if (loops[0].shutdown().refusesTasks()) {
      String how = loops[0].scheduler().hasEnded() ? " has ended" : " is stopping";
      return what + how + "; submit before that, or start another";
    }
    return what
        + " has no coroutine left, and is about to end; keep one running there as long as other"
        + " threads submit tasks";
  }

  @Override
  protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Callable<T> callable) {
    return new TaskFuture<>(callable);
  }

  @Override
  protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Runnable runnable, T value) {
    return new TaskFuture<>(runnable, value);
  }

  // ---- accepting for later ----

  @Override
  public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    Objects.requireNonNull(command, "command");
    Objects.requireNonNull(unit, "unit");
    ScheduledTask<@Nullable Void> future =
        later(loop -> timed(loop, due(loop, delay, unit), 0, command));
    return future;
  }

  @Override
  public <V extends @Nullable Object> ScheduledFuture<V> schedule(
      Callable<V> callable, long delay, TimeUnit unit) {
    Objects.requireNonNull(callable, "callable");
    Objects.requireNonNull(unit, "unit");
    ScheduledTask<V> future =
        later(loop -> new ScheduledTask<>(loop.scheduler(), due(loop, delay, unit), callable));
    return future;
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable command, long initialDelay, long period, TimeUnit unit) {
    return periodically(command, initialDelay, unit, nanos(period, unit));
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable command, long initialDelay, long delay, TimeUnit unit) {
    return periodically(command, initialDelay, unit, -nanos(delay, unit));
  }

  private ScheduledFuture<?> periodically(
      Runnable command, long initialDelay, TimeUnit unit, long period) {
    Objects.requireNonNull(command, "command");
    ScheduledTask<@Nullable Void> future =
        later(loop -> timed(loop, due(loop, initialDelay, unit), period, command));
    return future;
  }

  private static ScheduledTask<@Nullable Void> timed(
      LoopRuntime loop, long due, long period, Runnable command) {
    return new ScheduledTask<>(loop.scheduler(), due, period, command, null);
  }

  @SuppressWarnings("unchecked") // safe: the work of the task is what `futureOn` has made
  private <F extends ScheduledTask<?>> F later(Function<LoopRuntime, F> futureOn) {
    String taskName = nextName();
    ExecutorTask accepted =
        accept(loop -> {
          F future = futureOn.apply(loop);
          ExecutorTask task = new ExecutorTask(tasks, loop, taskName, future);
          future.setTask(task);
          return task;
        });
    return (F) accepted.work();
  }

  private static long due(LoopRuntime loop, long delay, TimeUnit unit) {
    return Nanos.after(loop.scheduler().nanoTime(), Duration.ofNanos(unit.toNanos(delay)));
  }

  private static long nanos(long period, TimeUnit unit) {
    if (period <= 0) {
      throw new IllegalArgumentException("a period must be positive, not " + period + " " + unit);
    }
    return unit.toNanos(period);
  }

  // ---- several at once ----

  @Override
  public <T extends @Nullable Object> T invokeAny(Collection<? extends Callable<T>> all)
      throws InterruptedException, ExecutionException {
    try {
      return firstOf(all, Long.MAX_VALUE);
    } catch (TimeoutException e) {
      throw new IllegalStateException("timed out after 292 years", e);
    }
  }

  @Override
  public <T extends @Nullable Object> T invokeAny(
      Collection<? extends Callable<T>> all, long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    return firstOf(all, unit.toNanos(timeout));
  }

  private <T extends @Nullable Object> T firstOf(
      Collection<? extends Callable<T>> all, long limitNanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (all.isEmpty()) {
      throw new IllegalArgumentException("invokeAny needs at least one task");
    }
    long start = System.nanoTime();
    LinkedTransferQueue<TaskFuture<T>> ended = new LinkedTransferQueue<>();
    List<TaskFuture<T>> futures = new ArrayList<>();
    try {
      for (Callable<T> each : all) {
        TaskFuture<T> future = new TaskFuture<>(Objects.requireNonNull(each, "task"), ended::add);
        futures.add(future);
        execute(future);
      }
      return firstSuccess(ended, futures.size(), start, limitNanos);
    } finally {
      futures.forEach(future -> future.cancel(true));
    }
  }

  private static <T extends @Nullable Object> T firstSuccess(
      LinkedTransferQueue<TaskFuture<T>> ended, int number, long start, long limitNanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    ExecutionException last = new ExecutionException("no task was run", null);
    for (int i = 0; i < number; i++) {
      long left = limitNanos - (System.nanoTime() - start);
      TaskFuture<T> next = ended.poll(left, TimeUnit.NANOSECONDS);
      if (next == null) {
        throw new TimeoutException("no task of invokeAny has succeeded in time");
      }
      switch (next.state()) {
        case SUCCESS -> {
          return next.resultNow();
        }
        case FAILED -> last = new ExecutionException(next.exceptionNow());
        case CANCELLED, RUNNING -> last = new ExecutionException("a task was cancelled", null);
      }
    }
    throw last;
  }

  // ---- the end ----

  @Override
  public void shutdown() {
    tasks.shutdown();
    tasks.all().forEach(ExecutorTask::cancelIfPeriodic);
    tasks.terminateIfEmpty();
  }

  @Override
  public List<Runnable> shutdownNow() {
    tasks.stop();
    List<Runnable> neverBegun = new ArrayList<>();
    for (ExecutorTask task : tasks.all()) {
      if (task.takeBack()) {
        neverBegun.add(task.work());
      } else {
        task.cancel();
      }
    }
    tasks.terminateIfEmpty();
    return neverBegun;
  }

  @Override
  public boolean isShutdown() {
    return !tasks.isOpen()
        || loopsEnded.isDone()
        || Arrays.stream(loops).allMatch(loop -> loop.shutdown().refusesTasks());
  }

  @Override
  public boolean isTerminated() {
    return tasks.terminated().isDone() || loopsEnded.isDone();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    if (isTerminated()) {
      return true;
    }
    // removes the dependents of this call from the others; see CompletionStageWaits
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    try {
      var _ = CompletableFuture.anyOf(tasks.terminated(), loopsEnded, over).get(timeout, unit);
    } catch (ExecutionException _) {
      // safe: a loop has ended with a failure, which its own join() throws
    } catch (TimeoutException _) {
      return isTerminated();
    } finally {
      over.complete(true);
    }
    return true;
  }

  @Override
  public String toString() {
    String what = loops.length == 1 ? loops[0].options().name() : loops.length + " loops";
    String how = isTerminated() ? "terminated" : isShutdown() ? "shut down" : "open";
    String mine = name == null ? "an executor" : "the executor '" + name + "'";
    return mine + " on " + what + ", " + how + ", with " + tasks.size() + " tasks";
  }
}
