// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.observe.trace.TraceTicks;
import dev.heddle.process.CompensationCounters;
import dev.heddle.process.QueueDelay;
import dev.heddle.process.WorkerCounters;
import dev.heddle.scheduler.context.LockOwners;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The threads of a [WorkScheduler]: its workers, compensating workers, and the monitor.
public sealed class WorkerPool permits SimulatedWorkers {
  private final WorkScheduler scheduler;
  private final Worker[] workers;
  private final CompensatingWorkers compensating;
  private final SchedulerMonitor monitor;

  // under the monitor of `workers`
  private List<WorkerTrace> traces = List.of(); // empty: none is being recorded
  private final List<WorkObservers> observers = new ArrayList<>();

  /// A pool that is not started.
  ///
  /// @param name of the threads
  /// @param count of workers, at least 1
  /// @param longSteps is called for runs that last longer than `limit`
  public WorkerPool(String name, int count, LongStepHandler longSteps, Duration limit) {
    this(WorkerThread.newScheduler(name, count), name, longSteps, limit);
  }

  WorkerPool(WorkScheduler scheduler, String name, LongStepHandler longSteps, Duration limit) {
    this.scheduler = scheduler;
    this.workers = scheduler.workers();
    this.compensating =
        new CompensatingWorkers(scheduler, name + "-compensating", this::begins, this::ends);
    this.monitor =
        new SchedulerMonitor(
            scheduler, compensating, "heddle-monitor-" + name, longSteps, limit.toNanos());
    scheduler.onWorkerWake(monitor::onWorkerWake);
  }

  public WorkScheduler scheduler() {
    return scheduler;
  }

  /// Starts the threads.
  ///
  /// @throws OutOfMemoryError when no more threads can be created; those that were started end
  public void start() {
    try {
      for (Worker worker : workers) {
        worker.start();
      }
      monitor.start();
    } catch (Throwable t) {
      halt();
      throw t;
    }
  }

  /// A count that goes up each millisecond while a worker is awake.
  public TraceTicks ticks() {
    return scheduler.ticks;
  }

  boolean isMonitorAsleep() {
    return monitor.isAsleep();
  }

  /// Ends the threads as soon as they have run the queued tasks. Tasks that are queued later may
  /// never run. Does not wait: [#awaitEnd] does.
  public void halt() {
    scheduler.halt();
    monitor.wake();
  }

  /// A step whose thread is blocked; `picks` tells it from other steps of its worker.
  public record BlockedStep(Worker worker, Task task, long picks) {
    public String waitsFor() {
      Object blocker = LockSupport.getBlocker(worker.thread());
      if (blocker == null) {
        return worker.thread().getState() == Thread.State.BLOCKED ? "a monitor" : "another thread";
      }
      return blocker.getClass().getName();
    }

    public StackTraceElement[] stack() {
      return worker.stack();
    }

    /// The thread that holds it, if the JDK reports one; else null.
    public @Nullable Thread holder() {
      Object blocker = LockSupport.getBlocker(worker.thread());
      return blocker == null ? null : LockOwners.ownerOf(blocker);
    }
  }

  /// The steps of all workers, if the thread of each one waits without a time limit and no
  /// compensating worker runs; else none. As of a moment ago.
  public List<BlockedStep> blockedSteps() {
    List<BlockedStep> all = new ArrayList<>(workers.length);
    for (Worker worker : workers) {
      Task task = worker.running(); // before its picks: Worker.run
      long picks = worker.picks();
      Thread.State state = worker.thread().getState();
      if (task == null || (state != Thread.State.WAITING && state != Thread.State.BLOCKED)) {
        return List.of();
      }
      all.add(new BlockedStep(worker, task, picks));
    }
    return compensating.running().isEmpty() ? all : List.of();
  }

  /// Waits for the threads to end, up to a time.
  public void awaitEnd(Duration within) throws InterruptedException {
    long deadline = System.nanoTime() + within.toNanos();
    for (Worker worker : all()) {
      var _ = worker.thread().join(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
    }
  }

  /// Waits for the threads to end, except those that are stuck.
  ///
  /// @param patience after this time, a thread whose task is `stuck` is not waited for
  public void awaitEnd(Duration within, Duration patience, Predicate<@Nullable Task> stuck)
      throws InterruptedException {
    long deadline = System.nanoTime() + within.toNanos();
    for (Worker worker : all()) {
      boolean ended = false;
      while (!ended && System.nanoTime() - deadline < 0) {
        ended = worker.thread().join(patience) || stuck.test(worker.running());
      }
    }
  }

  /// Passes on the running task of each worker, with its stack.
  public void forEachRunning(BiConsumer<Task, StackTraceElement[]> to) {
    for (Worker worker : all()) {
      Task task = worker.running();
      StackTraceElement[] stack = task == null ? null : worker.stackIn(task);
      if (task != null && stack != null) {
        to.accept(task, stack);
      }
    }
  }

  /// The stack of the worker that runs a task now, or null.
  public StackTraceElement @Nullable [] stackOf(Task task) {
    for (Worker worker : all()) {
      if (worker.running() == task) {
        return worker.stackIn(task);
      }
    }
    return null;
  }

  /// The workers, and the compensating workers that run now.
  private List<Worker> all() {
    List<Worker> all = new ArrayList<>(List.of(workers));
    all.addAll(compensating.running());
    return all;
  }

  /// Begins to record what the workers do, but not the runs of compensating ones.
  ///
  /// @param entries of the ring of each, a power of two
  /// @return in the order of the workers; and that of all other threads
  /// @throws IllegalStateException when that is recorded already
  public List<WorkerTrace> beginTrace(int entries) {
    synchronized (workers) {
      if (!traces.isEmpty()) {
        throw new IllegalStateException("another observer records a trace of it just now");
      }
      int rings = workers.length + 1;
      // messages of a recording before may still be in mailboxes: others are to have their numbers
      int first = ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE - rings);
      List<WorkerTrace> all = new ArrayList<>();
      for (int i = 0; i < workers.length; i++) {
        all.add(WorkerTrace.of(entries, ticks(), first + i, rings));
      }
      all.add(WorkerTrace.ofOthers(entries, ticks(), first + workers.length, rings));
      traces = List.copyOf(all);
      try {
        tell();
      } catch (Throwable t) {
        endTrace(); // no memory: else nobody could record it any more
        throw t;
      }
      return traces;
    }
  }

  /// Ends what [#beginTrace] has begun.
  public void endTrace() {
    synchronized (workers) {
      traces = List.of();
      tell();
    }
  }

  /// Tells others what the workers do, compensating ones included.
  public void observe(WorkObservers more) {
    synchronized (workers) {
      observers.add(more);
      try {
        tell();
      } catch (Throwable t) {
        unobserve(more);
        throw t;
      }
    }
  }

  /// Ends that.
  public void unobserve(WorkObservers told) {
    synchronized (workers) {
      boolean _ = observers.remove(told); // observers are equal to none but themselves
      tell();
    }
  }

  /// Tells the workers, first of all the other threads: these complete what workers issue.
  private void tell() {
    WorkObserver told = traces.isEmpty() ? null : traces.get(workers.length);
    for (WorkObservers more : observers) {
      told = both(told, more.ofOthers());
    }
    scheduler.observerOfOthers = told;
    scheduler.recordsMessages = !traces.isEmpty();
    for (Worker worker : workers) {
      tell(worker);
    }
    compensating.running().forEach(this::tell);
  }

  private void tell(Worker worker) {
    boolean isTraced = !traces.isEmpty();
    WorkObserver ofAll = isTraced && !worker.isCompensating() ? traces.get(worker.number()) : null;
    WorkObserver ofRuns = ofAll;
    for (WorkObservers more : observers) {
      WorkObserver one = more.of(worker);
      ofRuns = both(ofRuns, one);
      ofAll = more.areOfRunsOnly() ? ofAll : both(ofAll, one);
    }
    worker.observe(ofRuns, ofAll, isTraced);
  }

  private static @Nullable WorkObserver both(
      @Nullable WorkObserver one, @Nullable WorkObserver other) {
    return one == null ? other : other == null ? one : new WorkObserver.Both(one, other);
  }

  /// A compensating worker begins, or tell() has found it already. On its thread.
  private void begins(Worker worker) {
    synchronized (workers) {
      tell(worker);
    }
  }

  /// A compensating worker ends, and is not among the running ones any more. On its thread.
  private void ends(Worker worker) {
    synchronized (workers) {
      observers.forEach(each -> each.ended(worker));
    }
  }

  /// Whether anything at all is told of what they do, or would be.
  public boolean isObserved() {
    return scheduler.observerOfOthers != null || all().stream().anyMatch(Worker::isObserved);
  }

  public List<WorkerCounters> counters() {
    return Stream.of(workers).map(Worker::counters).toList();
  }

  public CompensationCounters compensationCounters() {
    return compensating.counters();
  }

  /// How long tasks have waited for a worker.
  public QueueDelay delays() {
    long[] sums = new long[DelayHistogram.PLACES];
    for (Worker worker : workers) {
      worker.delays.addTo(sums);
    }
    compensating.addDelaysTo(sums);
    return new QueueDelay(LongStream.of(sums).boxed().toList());
  }
}
