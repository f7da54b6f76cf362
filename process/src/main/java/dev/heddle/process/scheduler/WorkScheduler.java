// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.observe.trace.TraceTicks;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Which worker runs which task next: a work-stealing scheduler. Its threads are those of a
/// [WorkerPool].
///
/// A worker takes the newest task of its own deque, at most three times in a row, then the oldest.
/// If its deque is empty, it takes a task and up to 16 more from the global queue; if that is empty
/// too, half of a random other worker's deque. Every 61st pick takes from the global queue first,
/// as many. A task that a worker wakes goes to that worker's deque; a task that another thread
/// wakes goes to the global queue.
///
/// **Out of memory** costs no worker and loses no task: the links of the queues are in the tasks.
/// If the end of a task lacks memory, it is finished when there is memory again.
public sealed class WorkScheduler extends CacheLinePadding permits SimulatedScheduler {
  private static final int MAX_RETRIES = 10_000; // unfinished ends at a time: a millisecond or so

  private final Worker[] workers;
  private final GlobalQueue first = new GlobalQueue(); // of priority HIGH
  private final GlobalQueue global = new GlobalQueue();
  private final GlobalQueue unfinishedEnds = new GlobalQueue(); // COMPLETE; completed() has failed
  private final Parking parking;

  private volatile boolean halted;

  // the scheduler monitor ticks, while a worker is awake
  final TraceTicks ticks = new TraceTicks();

  // any thread: set by tasks that begin to wait for another, cleared by the deadlock detector
  private volatile boolean mayWait;

  // any thread
  private final AtomicInteger resumable = new AtomicInteger();

  // workers; set before the start
  private final AtomicInteger lost = new AtomicInteger();
  private volatile Consumer<Throwable> onFailure = _ -> {};

  // observers write it, any thread reads it; safe: a call may be missing at either end
  @Nullable WorkObserver observerOfOthers; // null: nobody looks
  boolean recordsMessages; // each has a number

  // set before the start
  private BooleanSupplier timersAreLate = () -> false;
  private Runnable onWorkerWake = () -> {};

  /// Makes the workers of a scheduler.
  interface Workers {
    /// A worker that is not started.
    Worker create(WorkScheduler of, int number);
  }

  /// A scheduler whose workers are not started.
  ///
  /// @param count of workers, at least 1
  WorkScheduler(int count, Workers made) {
    if (count < 1) {
      throw new IllegalArgumentException("at least one worker is needed: " + count);
    }
    this.parking = new Parking(count);
    this.workers = new Worker[count];
    for (int i = 0; i < count; i++) {
      workers[i] = made.create(this, i);
    }
  }

  /// The mailbox of a new task. Arguments as of [EventQueue].
  public EventQueue newQueue(Task of, int bound, boolean dropsOldest) {
    return new EventQueue(bound, dropsOldest);
  }

  // ---- timers ----

  /// Sets a condition that workers check at every 61st pick: the thread of the timers has work and
  /// gets no processor. A worker then yields its own. Before the start.
  public void yieldToTimersWhile(BooleanSupplier late) {
    timersAreLate = late;
  }

  /// Yields the processor if the timers need one. Called by a worker between two runs.
  void yieldToTimers() {
    if (timersAreLate.getAsBoolean()) {
      Thread.yield();
    }
  }

  /// Queues a new task, on behalf of a step that runs on `worker`, if there is one. Any thread.
  public void start(Task task, @Nullable Worker worker) {
    wake(task, WakeUpJournal.IS_READY, worker);
  }

  /// Wakes a task for an event that was published before: makes it READY, if it has to be, and puts
  /// it into the queue of its priority. Any thread.
  ///
  /// @param worker on behalf of whose step this is, if there is one
  /// @throws StackOverflowError when the stack ends in the middle. The worker completes the wake-up
  ///   after the step; without a worker, the caller must check the stack before.
  public void wake(Task task, int why, @Nullable Worker worker) {
    Worker own = worker != null && worker.scheduler() == this ? worker : null;
    boolean isReady = why == WakeUpJournal.IS_READY;
    boolean isQueued = false;
    try {
      if (!isReady) {
        isReady = task.wake(why);
        if (!isReady) {
          return;
        }
      }
      WorkObserver told = observerOf(own);
      if (told != null) {
        told.woke(task, why);
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

  // ---- observers ----

  /// Who is told what is done on behalf of a step on `worker`; without one, or on a compensating
  /// worker, that of all other threads. Null: nobody looks.
  @Nullable WorkObserver observerOf(@Nullable Worker worker) {
    return worker == null || worker.isCompensating() ? observerOfOthers : worker.observer();
  }

  /// Whether each message gets a number, to be recorded. Any thread.
  public boolean recordsMessages() {
    return recordsMessages;
  }

  /// The number of a message that is about to be sent; 0 when none is recorded. Any thread.
  ///
  /// @param worker of the calling thread
  public int nextNumber(@Nullable Worker worker) {
    WorkObserver told = observerOf(worker != null && worker.scheduler() == this ? worker : null);
    return told == null ? 0 : told.nextNumber();
  }

  /// A message was sent to a task. Any thread.
  ///
  /// @param item null: it cannot be told from others
  public void sent(Task to, @Nullable Node item, @Nullable Worker worker) {
    WorkObserver told = observerOf(worker);
    if (told != null) {
      told.sent(to, item);
    }
  }

  /// The first of several messages were sent to a task. Any thread.
  public void sent(Task to, Node[] items, int count, @Nullable Worker worker) {
    WorkObserver told = observerOf(worker);
    if (told != null) {
      for (int i = 0; i < count; i++) {
        told.sent(to, items[i]);
      }
    }
  }

  /// The reply to a command was delivered to a task. Any thread.
  public void completed(Task of, long tag, boolean failed, @Nullable Worker worker) {
    WorkObserver told = observerOf(worker);
    if (told != null) {
      told.completed(of, tag, failed);
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
    workerWoke();
  }

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

  /// Sets what to call when a worker has woken. Before the start.
  void onWorkerWake(Runnable action) {
    onWorkerWake = action;
  }

  void workerWoke() {
    onWorkerWake.run();
  }

  // ---- fibers ----

  /// The JDK has unblocked a fiber, which needs a step to continue. Any thread.
  public void fiberResumable() {
    resumable.incrementAndGet();
  }

  /// A resumable fiber continues, or never will. Any thread.
  public void fiberResumed() {
    resumable.decrementAndGet();
  }

  /// The number of fibers whose wait in the JDK is over and that have not run since.
  int resumable() {
    return resumable.get();
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

  /// Whether such a record was not cleared.
  final boolean mayTaskWait() {
    return mayWait;
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

  /// The number of messages for a task in bursts that have not ended, without the first of each.
  public int inBurstsFor(Task task) {
    int sum = 0;
    for (Worker worker : workers) {
      Burst burst = worker.burst();
      sum += burst == null ? 0 : burst.uncounted(task);
    }
    return sum;
  }

  /// The step that adds to a burst does not return: wakes the receiver if it may have missed an
  /// item. Any thread.
  void wakeReceiver(Burst burst) {
    if (burst.mayBeUnseen()) {
      wake(burst.to(), Task.BY_MESSAGE, null); // an extra wake-up does no harm
    }
  }

  /// Ends the workers as soon as they have run the queued tasks.
  void halt() {
    halted = true;
    parking.wakeAll();
  }

  public int size() {
    return workers.length;
  }

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
}
