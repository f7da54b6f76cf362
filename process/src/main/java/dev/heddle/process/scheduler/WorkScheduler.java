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

/// Workers that share what there is to do.
///
/// A worker takes the newest task of its own deque, three times in a row at most, then the oldest;
/// when it has none, one and up to 16 more from the FIFO of all workers; when that is empty, half
/// of what a random other worker has. Every 61st pick looks at the FIFO first, and takes as many. A
/// task that a worker wakes goes to that worker's deque, one that others wake to the FIFO.
///
/// **Want of memory** costs no worker and loses no task: what the queues need is in the tasks. The
/// end of a task that lacks memory is finished when there is some again.
public final class WorkScheduler {
  private static final int IS_READY = -1; // a task that nothing wakes: it is new, or was woken
  private static final int MAX_RETRIES = 10_000; // ends at a time: about a millisecond

  private final Worker[] workers;
  private final GlobalQueue first = new GlobalQueue(); // rank HIGH
  private final GlobalQueue global = new GlobalQueue();
  private final GlobalQueue unfinishedEnds = new GlobalQueue(); // COMPLETE, but not all is told
  private final Parking parking;
  private final CompensatingWorkers compensating;
  private final SchedulerMonitor monitor;

  private volatile boolean halted;

  // tasks that begin to wait for another, and whoever looks at these
  private volatile boolean mayWait;

  // workers, and who starts
  private final AtomicInteger lost = new AtomicInteger();
  private volatile Consumer<Throwable> onFailure = _ -> {};

  // whoever makes it, before it starts
  private BooleanSupplier timersAreLate = () -> false;

  /// Workers that do not run yet.
  ///
  /// @param name of the threads
  /// @param count how many, at least 1
  /// @param longSteps is told of runs that last longer than `limit`
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
  /// @throws OutOfMemoryError when the machine gives no more threads; those that were started end
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

  /// Sets how workers learn, at every 61st pick, that the thread of the timers has work and no
  /// processor: a worker then yields its own. Before [#start()] only.
  public void yieldToTimersWhile(BooleanSupplier late) {
    timersAreLate = late;
  }

  /// Yields the processor when the timers need one. A worker, between two runs.
  void yieldToTimers() {
    if (timersAreLate.getAsBoolean()) {
      Thread.yield();
    }
  }

  /// Takes a new task. Any thread.
  public void start(Task task) {
    enqueue(task, IS_READY, Worker.current());
  }

  /// Takes a new task on behalf of a step that runs on `worker`, or of nobody's.
  public void start(Task task, @Nullable Worker worker) {
    enqueue(task, IS_READY, worker);
  }

  /// Wakes a task for what was published before. Any thread.
  public void wake(Task task, int why) {
    wake(task, why, Worker.current());
  }

  /// Wakes a task on behalf of a step that runs on `worker`, or of nobody's.
  ///
  /// @throws StackOverflowError when the stack ends on the way. The worker goes the rest of the way
  ///   when the step has ended; without one, the caller has made sure that the stack lasts.
  public void wake(Task task, int why, @Nullable Worker worker) {
    enqueue(task, why, worker);
  }

  /// Makes a task READY, unless it is or need not be, and puts it where its rank says.
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
      if (own != null && isReady) { // writes only: there is no stack for a call
        if (!isQueued) {
          task.next = own.wakeUps.unqueued;
          own.wakeUps.unqueued = task;
        }
        own.wakeUps.isUnfinished = true;
      }
      throw e;
    }
  }

  /// Puts a READY task behind all others.
  void enqueueLast(Task task) {
    task.queuedNanos = DelayHistogram.stamp();
    global.push(task);
    parking.wakeOne();
  }

  // ---- what lacks memory ----

  /// A COMPLETE task whose end has stopped half-way, for want of memory: a worker goes on with it a
  /// while later. Any thread.
  public void finishLater(Task task) {
    unfinishedEnds.push(task);
    monitor.onWorkerWake();
  }

  /// Whether an end waits for memory.
  boolean hasUnfinished() {
    return !unfinishedEnds.isEmpty();
  }

  /// Lets workers try once more to finish the ends that lack memory. The lookout.
  void retryUnfinishedEnds() {
    Task task;
    for (int left = MAX_RETRIES; left > 0 && (task = unfinishedEnds.poll()) != null; left--) {
      global.push(task);
      parking.wakeOne();
    }
  }

  /// Says what to do when no worker can go on any more. Before the start.
  public void onFailure(Consumer<Throwable> action) {
    onFailure = action;
  }

  /// A worker fails again and again without running anything; it goes on trying.
  void lost(Throwable why) {
    if (lost.incrementAndGet() == workers.length) {
      onFailure.accept(why);
    } else {
      parking.wakeAll(); // those that sleep have not tried yet
    }
  }

  /// The JDK lets a body go on, which needs a step for that. Any thread.
  public void fiberResumable() {
    compensating.fiberResumable();
  }

  /// A body that was due goes on, or never will.
  public void fiberResumed() {
    compensating.fiberResumed();
  }

  /// A task is about to wait for another one, as can be seen in it. Any thread.
  public void taskMayWait() {
    if (!mayWait) {
      mayWait = true;
    }
  }

  /// Whether a task may wait for another one; takes that back. Whoever finds one says so again.
  public boolean clearMayWait() {
    boolean was = mayWait;
    mayWait = false; // volatile: what begins to wait after it says so, what has before is seen
    return was;
  }

  /// A step that stands, told from others of its worker by the number of its pick.
  public record BlockedStep(Worker worker, Task task, long picks) {
    /// What the thread is parked for, in words.
    public String waitsFor() {
      Object blocker = LockSupport.getBlocker(worker.thread());
      if (blocker == null) {
        return worker.thread().getState() == Thread.State.BLOCKED ? "a monitor" : "another thread";
      }
      return blocker.getClass().getName();
    }

    /// Who holds that, as far as the JDK tells; or null.
    public @Nullable Thread holder() {
      Object blocker = LockSupport.getBlocker(worker.thread());
      return blocker == null ? null : LockOwners.ownerOf(blocker);
    }
  }

  /// The steps of all workers, when each of them waits, without a limit, in its thread, and no
  /// spare runs; else none. As of a moment ago.
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

  /// A searcher has found a task: the next is woken if there is more.
  void workFound() {
    if (parking.stopSearching() && hasWork()) {
      parking.wakeOne();
    }
  }

  /// Whether a task waits that any worker may take.
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

  /// Ends the threads as soon as they have run what is in the queues. What is enqueued later may
  /// never run. Does not wait: [#awaitEnd] does.
  public void halt() {
    halted = true;
    parking.wakeAll();
    monitor.wake();
  }

  /// Waits for the threads to end.
  ///
  /// @return the workers that have not ended in time: each is in a step that does not return
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

  /// Waits for the threads to end, but for those that do not get on.
  ///
  /// @param patience after this, one that runs a task that is `stuck` is not waited for
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

  /// Tells what each worker runs now, and where it is in it.
  public void forEachRunning(BiConsumer<Task, StackTraceElement[]> to) {
    for (Worker worker : all()) {
      Task task = worker.running();
      if (task != null) {
        StackTraceElement[] stack = worker.stack();
        if (worker.running() == task) { // else the stack may be another's
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

  /// Workers, and spares that run now.
  private List<Worker> all() {
    List<Worker> all = new ArrayList<>(List.of(workers));
    all.addAll(compensating.running());
    return all;
  }

  /// What each worker has done.
  public List<WorkerCounters> counters() {
    List<WorkerCounters> all = new ArrayList<>(workers.length);
    for (Worker worker : workers) {
      all.add(worker.counters());
    }
    return all;
  }

  /// What spares have done.
  public CompensationCounters compensationCounters() {
    return compensating.counters();
  }

  /// How long tasks have waited for a worker, or a spare.
  public QueueDelay delays() {
    long[] sums = new long[DelayHistogram.PLACES];
    for (Worker worker : workers) {
      worker.delays().addTo(sums);
    }
    compensating.addDelaysTo(sums);
    return new QueueDelay(LongStream.of(sums).boxed().toList());
  }

  /// How many messages of bursts that have not ended are for a task, without the first of each.
  public int inBurstsFor(Task task) {
    int sum = 0;
    for (Worker worker : workers) {
      Burst burst = worker.burst();
      sum += burst == null ? 0 : burst.uncounted(task);
    }
    return sum;
  }

  /// How many workers there are.
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
