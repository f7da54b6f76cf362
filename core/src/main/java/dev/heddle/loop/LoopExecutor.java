// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.internal.Nanos;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// An executor whose tasks are coroutines of one or several loops.
///
/// **Thread** any.
public final class LoopExecutor extends AbstractExecutorService
    implements ScheduledExecutorService {
  /*
   * The JDK does what it does well: AbstractExecutorService has submit and invokeAll, and FutureTask
   * the states of a future. This class accepts tasks and ends; ExecutorTask runs one.
   *
   * States.
   *   from            event                      to          who
   *   OPEN            shutdown()                 SHUTDOWN    any thread: cancels periodic tasks
   *   OPEN, SHUTDOWN  shutdownNow()              STOP        any thread: takes back what has not
   *                                                          begun, cancels what runs
   *   SHUTDOWN, STOP  no task is left            TERMINATED  the thread that removes the last one
   *   any             all its loops have ended   TERMINATED  the carriers: refuse what is left
   *
   * Accepting. A task is in `tasks` from before it is posted until it has ended. accept() adds the
   * task, and then reads the state; shutdown() writes the state, and then reads `tasks`. So either
   * the executor waits for the task, or the task is rejected.
   *
   * I1. A task that was accepted ends, is returned by shutdownNow(), or its future fails, whatever
   *     happens to the loop. [LoopExecutorTest]
   * I2. awaitTermination() returns true only when no task runs and none will.
   *     [ExecutorContractTest]
   *
   * Memory order. accept(): the insertion into the concurrent set, then the volatile read of
   * `state`. shutdown(): the volatile write of `state`, then the volatile reads of isEmpty(). All
   * four are in one total order, so one of the two reads sees the other's write (Dekker).
   *
   * Cost. A task from outside: one entry of a concurrent set, one post to the loop's inbox.
   *
   * Rejected. One executor for each loop, always the same: the libraries that are given it shut it
   * down. A CompletableFuture for each task: it cannot reach the coroutine that it is to cancel.
   * AbstractExecutorService.invokeAny: it wraps each future in another one, which this executor
   * cannot fail when the loop ends.
   */
  private static final int OPEN = 0;
  private static final int SHUTDOWN = 1;
  private static final int STOP = 2;

  private final LoopRuntime[] loops;
  private final CompletableFuture<?> loopsEnded;

  // any thread
  private final AtomicInteger nextLoop = new AtomicInteger();
  private final AtomicInteger state = new AtomicInteger(OPEN);
  private final Set<ExecutorTask> tasks = ConcurrentHashMap.newKeySet();
  private final CompletableFuture<Boolean> terminated = new CompletableFuture<>();

  /// An executor whose tasks run on the loops in turn.
  ///
  /// @param loops at least one
  /// @param loopsEnded completes when all of them have ended; the same one for many executors
  public LoopExecutor(List<LoopRuntime> loops, CompletableFuture<?> loopsEnded) {
    this.loops = loops.toArray(LoopRuntime[]::new);
    this.loopsEnded = loopsEnded;
  }

  // ---- accepting ----

  @Override
  public void execute(Runnable command) {
    accept(new ExecutorTask(this, next(), Objects.requireNonNull(command, "command")));
  }

  private void accept(ExecutorTask task) {
    tasks.add(task);
    boolean accepted = state.get() == OPEN && task.post();
    // else a concurrent shutdownNow() has returned it, and rejects it thereby
    if (!accepted && task.takeBack()) {
      throw new RejectedExecutionException(
          state.get() == OPEN
              ? task.loopEnded()
              : "the executor of " + task.loopName() + " was shut down; it takes no more tasks");
    }
  }

  private LoopRuntime next() {
    if (loops.length == 1) {
      return loops[0];
    }
    int first = nextLoop.getAndIncrement();
    for (int i = 0; i < loops.length; i++) {
      LoopRuntime loop = loops[Math.floorMod(first + i, loops.length)];
      if (!loop.scheduler().hasEnded()) {
        return loop;
      }
    }
    return loops[0]; // which rejects the task
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
    LoopRuntime loop = next();
    long due = due(loop, delay, unit);
    return later(loop, new ScheduledTask<@Nullable Void>(loop.scheduler(), due, 0, command, null));
  }

  @Override
  public <V extends @Nullable Object> ScheduledFuture<V> schedule(
      Callable<V> callable, long delay, TimeUnit unit) {
    LoopRuntime loop = next();
    return later(loop, new ScheduledTask<>(loop.scheduler(), due(loop, delay, unit), callable));
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
    LoopRuntime loop = next();
    long due = due(loop, initialDelay, unit);
    return later(
        loop, new ScheduledTask<@Nullable Void>(loop.scheduler(), due, period, command, null));
  }

  private <F extends ScheduledTask<?>> F later(LoopRuntime loop, F future) {
    ExecutorTask task = new ExecutorTask(this, loop, future);
    future.setTask(task);
    accept(task);
    return future;
  }

  private static long due(LoopRuntime loop, long delay, TimeUnit unit) {
    return Nanos.after(loop.scheduler().nanoTime(), Duration.ofNanos(unit.toNanos(delay)));
  }

  private static long nanos(long period, TimeUnit unit) {
    if (period <= 0) {
      throw new IllegalArgumentException("a period must be positive: " + period + " " + unit);
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
    state.compareAndSet(OPEN, SHUTDOWN);
    for (ExecutorTask task : tasks) {
      task.cancelIfPeriodic();
    }
    terminateIfEmpty();
  }

  @Override
  public List<Runnable> shutdownNow() {
    state.set(STOP);
    List<Runnable> neverBegun = new ArrayList<>();
    for (ExecutorTask task : tasks) {
      if (task.takeBack()) {
        neverBegun.add(task.work());
      } else {
        task.cancel();
      }
    }
    terminateIfEmpty();
    return neverBegun;
  }

  /// Called when a task has ended, was withdrawn or refused: once for each. **Thread** any.
  void ended(ExecutorTask task) {
    tasks.remove(task);
    terminateIfEmpty();
  }

  private void terminateIfEmpty() {
    if (state.get() != OPEN && tasks.isEmpty()) {
      terminated.complete(true);
    }
  }

  boolean isOpen() {
    return state.get() == OPEN;
  }

  @Override
  public boolean isShutdown() {
    return !isOpen() || loopsEnded.isDone();
  }

  @Override
  public boolean isTerminated() {
    return terminated.isDone() || loopsEnded.isDone();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    if (isTerminated()) {
      return true;
    }
    // removes the dependents of this call from the others; see CompletionStageWaits
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    try {
      var _ = CompletableFuture.anyOf(terminated, loopsEnded, over).get(timeout, unit);
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
    return "an executor on " + what + ", " + how + ", with " + tasks.size() + " tasks";
  }
}
