// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.CompensationCounters;
import dev.heddle.process.QueueDelay;
import dev.heddle.process.WorkerCounters;
import dev.heddle.scheduler.context.LockOwners;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// A work-stealing scheduler.
///
/// A worker takes the newest task of its own deque, at most three times in a row, then the oldest.
/// If its deque is empty, it takes a task and up to 16 more from the global queue; if that is empty
/// too, half of a random other worker's deque. Every 61st pick takes from the global queue first,
/// as many. A task that a worker wakes goes to that worker's deque; a task that another thread
/// wakes goes to the global queue.
///
/// **Out of memory** costs no worker and loses no task: the links of the queues are in the tasks.
/// If the end of a task lacks memory, it is finished when there is memory again.
public final class WorkScheduler {
  private static final int IS_READY = -1; // in place of a reason: the task is READY already
  private static final int MAX_RETRIES = 10_000; // unfinished ends at a time: a millisecond or so

  private final Worker[] workers;
  private final GlobalQueue first = new GlobalQueue(); // of priority HIGH
  private final GlobalQueue global = new GlobalQueue();
  private final GlobalQueue unfinishedEnds = new GlobalQueue(); // COMPLETE; completed() has failed
  private final Parking parking;
  private final CompensatingWorkers compensating;
  private final SchedulerMonitor monitor;

  private volatile boolean halted;

  // any thread: set by tasks that begin to wait for another, cleared by the deadlock detector
  private volatile boolean mayWait;

  // workers; set before the start
  private final AtomicInteger lost = new AtomicInteger();
  private volatile Consumer<Throwable> onFailure = _ -> {};

  // set before the start
  private BooleanSupplier timersAreLate = () -> false;

  /// A scheduler that is not started.
  ///
  /// @param name of the threads
  /// @param count of workers, at least 1
  /// @param longSteps is called for runs that last longer than `limit`
  public WorkScheduler(String name, int count, LongStepHandler longSteps, Duration limit) {
    if (count < 1) {
      throw new IllegalArgumentException("at least one worker is needed: " + count);
    }
    this.parking = new Parking(count);
    this.workers = new Worker[count];
    for (int i = 0; i < count; i++) {
      workers[i] = new Worker(this, name + "-worker-" + i, i);
    }
    this.compensating = new CompensatingWorkers(this, name + "-compensating");
    this.monitor = new SchedulerMonitor(this, "heddle-monitor-" + name, longSteps, limit.toNanos());
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

  /// Sets a condition that workers check at every 61st pick: the thread of the timers has work and
  /// gets no processor. A worker then yields its own. Before [#start()] only.
  public void yieldToTimersWhile(BooleanSupplier late) {
    timersAreLate = late;
  }

  /// Yields the processor if the timers need one. Called by a worker between two runs.
  void yieldToTimers() {
    if (timersAreLate.getAsBoolean()) {
      Thread.yield();
    }
  }

  /// Queues a new task. Any thread.
  public void start(Task task) {
    enqueue(task, IS_READY, Worker.current());
  }

  /// Queues a new task, on behalf of a step that runs on `worker`, if there is one.
  public void start(Task task, @Nullable Worker worker) {
    enqueue(task, IS_READY, worker);
  }

  /// Wakes a task for an event that was published before. Any thread.
  public void wake(Task task, int why) {
    wake(task, why, Worker.current());
  }

  /// Wakes a task, on behalf of a step that runs on `worker`, if there is one.
  ///
  /// @throws StackOverflowError when the stack ends in the middle. The worker completes the wake-up
  ///   after the step; without a worker, the caller must check the stack before.
  public void wake(Task task, int why, @Nullable Worker worker) {
    enqueue(task, why, worker);
  }

  /// Makes a task READY, if it has to be, and puts it into the queue of its priority.
  private void enqueue(Task task, int why, @Nullable Worker worker) {
    Worker own = worker != null && worker.scheduler() == this ? worker : null;
    boolean isReady = why == IS_READY;
    boolean isQueued = false;
    try {
      if (!isReady) {
        isReady = task.wake(why);
        if (!isReady) {
          return;
        }
      }
      task.queuedNanos = DelayHistogram.stamp();
      if (task.priority == Task.QueuePriority.NORMAL
          && own != null
          && !own.isCompensating()
          && own.push(task)) {
        isQueued = true;
        own.notifyFirstStealable();
      } else {
        (task.priority == Task.QueuePriority.HIGH ? first : global).push(task);
        isQueued = true;
        parking.wakeOne();
      }
    } catch (StackOverflowError | OutOfMemoryError e) {
      if (own != null && isReady) { // stores only: there is no stack for a call
        if (!isQueued) {
          task.next = own.wakeUps.unqueued;
          own.wakeUps.unqueued = task;
        }
        own.wakeUps.isUnfinished = true;
      }
      throw e;
    }
  }

  /// Appends a READY task to the global queue.
  void enqueueLast(Task task) {
    task.queuedNanos = DelayHistogram.stamp();
    global.push(task);
    parking.wakeOne();
  }

  // ---- ends that lack memory ----

  /// Records a COMPLETE task whose completed() has failed, for lack of memory: a worker calls it
  /// again later. Any thread.
  public void finishLater(Task task) {
    unfinishedEnds.push(task);
    monitor.onWorkerWake();
  }

  /// Whether there is an unfinished end.
  boolean hasUnfinished() {
    return !unfinishedEnds.isEmpty();
  }

  /// Requeues the unfinished ends, so that workers try again. Called by the scheduler monitor.
  void retryUnfinishedEnds() {
    Task task;
    for (int left = MAX_RETRIES; left > 0 && (task = unfinishedEnds.poll()) != null; left--) {
      global.push(task);
      parking.wakeOne();
    }
  }

  /// Sets what to do when no worker can continue. Before the start.
  public void onFailure(Consumer<Throwable> action) {
    onFailure = action;
  }

  /// Called by a worker that has failed repeatedly without running a task; it keeps trying.
  void lost(Throwable why) {
    if (lost.incrementAndGet() == workers.length) {
      onFailure.accept(why);
    } else {
      parking.wakeAll(); // parked workers have not tried yet
    }
  }

  /// The JDK has unblocked a fiber, which needs a step to continue. Any thread.
  public void fiberResumable() {
    compensating.fiberResumable();
  }

  /// A resumable fiber continues, or never will.
  public void fiberResumed() {
    compensating.fiberResumed();
  }

  /// Records that a task is about to wait for another one. Any thread.
  public void taskMayWait() {
    if (!mayWait) {
      mayWait = true;
    }
  }

  /// Whether a task may wait for another one. Clears the record; a caller that finds such a task
  /// sets it again.
  public boolean clearMayWait() {
    boolean was = mayWait;
    mayWait = false; // volatile: a task that waits later sets it; one that waits already is seen
    return was;
  }

  /// A step whose thread is blocked; `picks` tells it from other steps of its worker.
  public record BlockedStep(Worker worker, Task task, long picks) {
    /// What the thread waits for, as text.
    public String waitsFor() {
      Object blocker = LockSupport.getBlocker(worker.thread());
      if (blocker == null) {
        return worker.thread().getState() == Thread.State.BLOCKED ? "a monitor" : "another thread";
      }
      return blocker.getClass().getName();
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

  /// Called when a searcher has found a task: wakes the next worker if more work is left.
  void workFound() {
    if (parking.stopSearching() && hasWork()) {
      parking.wakeOne();
    }
  }

  /// Whether there is a task that any worker may take.
  boolean hasWork() {
    if (!global.isEmpty() || !first.isEmpty()) {
      return true;
    }
    for (Worker worker : workers) {
      if (worker.hasStealable()) {
        return true;
      }
    }
    return false;
  }

  /// Ends the threads as soon as they have run the queued tasks. Tasks that are queued later may
  /// never run. Does not wait: [#awaitEnd] does.
  public void halt() {
    halted = true;
    parking.wakeAll();
    monitor.wake();
  }

  /// Waits for the threads to end.
  ///
  /// @return the workers that have not ended in time, each in a step that does not return
  public List<Worker> awaitEnd(Duration within) throws InterruptedException {
    long deadline = System.nanoTime() + within.toNanos();
    List<Worker> left = new ArrayList<>();
    for (Worker worker : all()) {
      long rest = Math.max(0, deadline - System.nanoTime());
      if (!worker.thread().join(Duration.ofNanos(rest))) {
        left.add(worker);
      }
    }
    return left;
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
      if (task != null) {
        StackTraceElement[] stack = worker.stack();
        if (worker.running() == task) { // otherwise the stack may belong to another task
          to.accept(task, stack);
        }
      }
    }
  }

  /// The worker that runs a task now, or null.
  public @Nullable Worker workerOf(Task task) {
    for (Worker worker : all()) {
      if (worker.running() == task) {
        return worker;
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

  /// The counters of each worker.
  public List<WorkerCounters> counters() {
    List<WorkerCounters> all = new ArrayList<>(workers.length);
    for (Worker worker : workers) {
      all.add(worker.counters());
    }
    return all;
  }

  /// The counters of compensating workers.
  public CompensationCounters compensationCounters() {
    return compensating.counters();
  }

  /// How long tasks have waited for a worker.
  public QueueDelay delays() {
    long[] sums = new long[DelayHistogram.PLACES];
    for (Worker worker : workers) {
      worker.delays().addTo(sums);
    }
    compensating.addDelaysTo(sums);
    return new QueueDelay(LongStream.of(sums).boxed().toList());
  }

  /// The number of messages for a task in bursts that have not ended, without the first of each.
  public int inBurstsFor(Task task) {
    int sum = 0;
    for (Worker worker : workers) {
      Burst burst = worker.burst();
      sum += burst == null ? 0 : burst.uncounted(task);
    }
    return sum;
  }

  /// The number of workers.
  public int size() {
    return workers.length;
  }

  /// Whether a worker's thread has not ended.
  boolean isAlive() {
    for (Worker worker : workers) {
      if (worker.thread().isAlive()) {
        return true;
      }
    }
    return false;
  }

  boolean isHalted() {
    return halted;
  }

  Worker[] workers() {
    return workers;
  }

  GlobalQueue first() {
    return first;
  }

  GlobalQueue global() {
    return global;
  }

  Parking parking() {
    return parking;
  }

  CompensatingWorkers compensating() {
    return compensating;
  }

  SchedulerMonitor monitor() {
    return monitor;
  }
}
