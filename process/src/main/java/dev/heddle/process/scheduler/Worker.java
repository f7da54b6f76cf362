// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.WorkerCounters;
import dev.heddle.scheduler.context.PlatformThreadState;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A thread that runs tasks: its own newest first, then those that wait for all workers, then half
/// of another's.
public final class Worker {
  private static final int GLOBAL_QUEUE_INTERVAL =
      61; // picks; prime, so it does not beat with batches of 16 or 32
  private static final int GLOBAL_BATCH = 16; // taken from the FIFO beside the one that is run
  private static final int MAX_LIFO_POLLS = 3; // then the oldest of the own deque has its turn
  private static final int SPIN_ROUNDS = 4; // fruitless searches without giving the processor away
  private static final int SEARCH_ROUNDS = 16; // fruitless searches before sleep
  private static final int COMPENSATING = -1; // in place of a number
  private static final long PAUSE_NANOS =
      1_000_000; // after a failure of the loop itself: others may free memory meanwhile
  private static final int MAX_FAILURES =
      1_000; // failures without a task between: at least a second
  private static final VarHandle RUNNING;
  private static final VarHandle BURST;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      RUNNING = lookup.findVarHandle(Worker.class, "running", Task.class);
      BURST = lookup.findVarHandle(Worker.class, "burst", Burst.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final WorkScheduler scheduler;
  private final int number;
  private final Thread thread;
  private final PlatformThreadState threadState;
  private final WorkDeque<Task> deque = new WorkDeque<>();
  final WakeUpJournal wakeUps = new WakeUpJournal(this);

  // this worker
  private boolean searching; // as the word of Parking counts it
  private int failures; // of the loop, without a task between
  boolean isInTask; // its step or its end: nobody else runs it

  // this worker; others read values of some moment ago
  private int lifoPolls;
  private long picks;
  private long stolen;
  private long parks;
  private final DelayHistogram delays = new DelayHistogram();
  private int deliveredEvents; // events, to the task that it runs
  private @Nullable Thread mounted; // the body that its step runs now
  private final BurstHeuristic burstHeuristic = new BurstHeuristic(); // of what its run sends

  // this worker releases it; the lookout and reports acquire it
  @SuppressWarnings("unused") // through BURST
  private @Nullable Burst burst;

  // this worker releases it, without a fence for each run; reports acquire it
  private @Nullable Task running;

  // the lookout: as of its last look
  long seenPicks;
  long seenSinceNanos;
  boolean seenReported;

  // set by the lookout, taken back by this worker
  private volatile boolean overdue;

  // under the lock of Parking; this worker reads it until it is false
  volatile boolean asleep;

  Worker(WorkScheduler scheduler, String name, int number) {
    this(scheduler, name, number, Worker::runGuarded);
  }

  /// A spare, which runs what `work` gives it.
  Worker(WorkScheduler scheduler, String name, Consumer<Worker> work) {
    this(scheduler, name, COMPENSATING, work);
  }

  private Worker(WorkScheduler scheduler, String name, int number, Consumer<Worker> work) {
    this.scheduler = scheduler;
    this.number = number;
    this.thread = new WorkerThread(this, name, work);
    thread.setDaemon(true);
    this.threadState = new PlatformThreadState(thread);
  }

  /// The worker on whose thread this is called, or null.
  public static @Nullable Worker current() {
    return Thread.currentThread() instanceof WorkerThread t ? t.worker : null;
  }

  private static final class WorkerThread extends Thread {
    final Worker worker;

    WorkerThread(Worker worker, String name, Consumer<Worker> work) {
      super(null, () -> work.accept(worker), name, 0, false);
      this.worker = worker;
    }
  }

  void start() {
    thread.start();
  }

  // ---- the loop ----

  /// Not one method with [#loop]: an error that the JVM throws when it cannot make objects again
  /// that compiled code has done without passes all catch blocks that were compiled into one. This
  /// runs a few times only, so it is not compiled.
  private void runGuarded() {
    boolean ends = false;
    while (!ends) {
      try {
        loop();
        ends = true;
      } catch (Throwable t) {
        try {
          recover(t);
        } catch (Throwable _) {
          // safe: this thread must live; the next failure tries again
        }
      }
    }
  }

  private void loop() {
    boolean ends = false;
    while (!ends) {
      ends = runOnce();
    }
  }

  /// Runs a task, or sleeps until there may be one.
  ///
  /// @return whether there will be none any more
  private boolean runOnce() {
    Task task = next();
    if (task == null && !searching) {
      searching = scheduler.parking().startSearching();
    }
    if (task == null && searching) {
      task = search();
    }
    if (task != null) {
      stopSearching();
      run(task);
      return false;
    }
    if (!scheduler.isHalted()) {
      park();
      return false;
    }
    return !scheduler.hasUnfinished() || pause(); // an end lacks memory: the lookout brings it back
  }

  private void stopSearching() {
    if (searching) {
      searching = false;
      try {
        scheduler.workFound();
      } catch (Throwable t) {
        // safe: the lookout does so, and our task waits
        logSafely("fails to wake the next worker", null, t);
      }
    }
  }

  /// Brings the counts of sleepers in order after a failure, and lets a task that was cut off in
  /// the middle end. Else nothing is in its hands: it calls nothing between taking a task and
  /// running it that could fail.
  private void recover(Throwable t) {
    if (isInTask) {
      abortTask();
    }
    if (asleep) {
      scheduler.parking().cancelPark(this);
    }
    stopSearching(); // nobody is woken while somebody searches
    logSafely("continues after an internal failure", null, t);
    if (++failures == MAX_FAILURES) {
      scheduler.lost(t);
    }
    var _ = pause();
  }

  /// Its task's step, or the end of the task, was cut off, and no catch block has seen it: see
  /// [#runGuarded].
  private void abortTask() {
    isInTask = false;
    mounted = null;
    Task cut = running;
    if (cut != null) {
      cut.abortRun();
      scheduler.finishLater(cut);
    }
    RUNNING.setRelease(this, (Task) null);
  }

  private boolean pause() {
    LockSupport.parkNanos(this, PAUSE_NANOS);
    return false;
  }

  /// Writes to the log; never throws, also when there is no memory for the words: so it makes them
  /// itself.
  private void logSafely(String what, @Nullable Task task, Throwable t) {
    try {
      String of = task == null ? "" : ": " + task.getClass();
      UninterruptibleLog.write(Level.ERROR, thread.getName() + " " + what + of, t);
    } catch (Throwable _) {
      return; // safe: who has to know hears it from exits
    }
  }

  /// A task has thrown what it must not. It has ended. Never throws.
  void taskThrew(Task task, Throwable t) {
    logSafely("gives up a task", task, t);
  }

  /// Runs a READY task that is in no queue any more, or one whose end is to be finished. On its own
  /// thread.
  void run(Task task) {
    picks++; // before: who sees the task sees that it is another pick
    failures = 0;
    RUNNING.setRelease(this, task);
    deliveredEvents = 0;
    delays.record(task.queuedNanos);
    if (overdue) {
      overdue = false;
    }
    task.run(this); // throws nothing
    threadState.restore(); // what a step has left on the thread is not for the next task's
    RUNNING.setRelease(this, (Task) null);
    if (burst != null) {
      endBurst();
    }
    if (wakeUps.isOpen()) {
      finishWakeUps();
    }
  }

  private void finishWakeUps() {
    endBurst();
    wakeUps.finish();
  }

  /// The next task without a search.
  private @Nullable Task next() {
    Task task;
    if (picks % GLOBAL_QUEUE_INTERVAL == GLOBAL_QUEUE_INTERVAL - 1) {
      scheduler.yieldToTimers();
      if ((task = pollStarved()) != null) {
        return task;
      }
    }
    if ((task = scheduler.first().poll()) != null) {
      return task;
    }
    if (lifoPolls < MAX_LIFO_POLLS) {
      lifoPolls++;
      task = deque.pop();
    } else {
      lifoPolls = 0;
      task = deque.pollOldest();
    }
    if (task != null) {
      return task;
    }
    lifoPolls = 0;
    return pollBatch();
  }

  /// One of those that others go before again and again: in the FIFO, or at the bottom of the
  /// deque.
  private @Nullable Task pollStarved() {
    Task task = pollBatch();
    return task != null ? task : deque.pollOldest();
  }

  /// The head of the FIFO, and what stands behind it into the own deque: also where the deque is
  /// never empty, the FIFO gets on by more than a task at a time.
  private @Nullable Task pollBatch() {
    Task task = scheduler.global().pollInto(deque, GLOBAL_BATCH);
    if (task != null) {
      try {
        notifyStealable(); // whoever looked while the batch was in our hands has seen it nowhere
      } catch (Throwable t) {
        logSafely(
            "fails to wake a worker", null, t); // safe: the lookout does so, and our task waits
      }
    }
    return task;
  }

  /// Looks everywhere, again and again, before it gives up.
  private @Nullable Task search() {
    for (int round = 0; round < SEARCH_ROUNDS; round++) {
      Task task = scheduler.first().poll();
      if (task == null) {
        task = pollBatch();
      }
      if (task == null) {
        task = steal();
      }
      if (task != null) {
        return task;
      }
      if (round < SPIN_ROUNDS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
    return null;
  }

  private @Nullable Task steal() {
    Worker[] all = scheduler.workers();
    int first = ThreadLocalRandom.current().nextInt(all.length);
    for (int i = 0; i < all.length; i++) {
      Worker victim = all[(first + i) % all.length];
      if (victim != this && victim.hasStealable()) {
        Task task = victim.deque.stealInto(deque);
        if (task != null) {
          stolen += 1 + deque.size();
          return task;
        }
      }
    }
    return null;
  }

  private void park() {
    if (wakeUps.isOpen() || burst != null) { // it has failed when it was tried
      finishWakeUps();
      return;
    }
    deque.clearStolen();
    Parking parking = scheduler.parking();
    parking.park(this, searching);
    searching = true; // whoever wakes a sleeper, or it itself, says so
    if (scheduler.hasWork() || scheduler.isHalted()) {
      parking.cancelPark(this);
    } else {
      parks++;
      while (asleep) {
        var _ = Thread.interrupted(); // whoever's it is, it would keep us awake
        LockSupport.park(this);
      }
    }
    scheduler.monitor().onWorkerWake(); // it may have dozed off while we were counted as asleep
  }

  void unpark() {
    LockSupport.unpark(thread);
  }

  // ---- tasks that its steps wake ----

  /// The wake-ups that its steps have begun. Its step.
  public WakeUpJournal wakeUps() {
    return wakeUps;
  }

  /// Puts a READY task into the own deque. On this worker's thread only, or on that of a coroutine
  /// that is mounted on it.
  ///
  /// @return false when the deque is full, and there is no memory for a longer one
  boolean push(Task task) {
    assert isCurrentThread() : "pushed to " + thread + " by " + Thread.currentThread();
    return deque.push(task);
  }

  private boolean isCurrentThread() {
    Thread caller = Thread.currentThread();
    return caller == thread || caller == mounted;
  }

  /// Has somebody woken after a push, if it is that of the first task that others may take: whoever
  /// falls asleep later looks, and who finds it wakes the next for what is left.
  void notifyFirstStealable() {
    if (deque.size() == 2) { // one is for us, as soon as this step ends
      wakeThief();
    }
  }

  /// Has somebody woken for what this worker does not run next.
  private void notifyStealable() {
    if (deque.size() > 1) {
      wakeThief();
    }
  }

  private void wakeThief() {
    VarHandle.fullFence(); // a push is only released: see the essay of Parking
    scheduler.parking().wakeOne();
  }

  // ---- what its steps send in bursts ----

  /// Its step sends to a task without beginning a wake-up.
  ///
  /// @return whether it has sent to that one again and again
  public boolean isBurst(long receiver) {
    return burstHeuristic.countSend(receiver, picks)
        && !isCompensating(); // no lookout looks at spares
  }

  /// How many messages its next burst has places for.
  public int burstPlaces() {
    return burstHeuristic.places();
  }

  /// Its step is about to push a burst, to which it will add.
  public void beginBurst(Burst begun) {
    BURST.setRelease(this, begun);
  }

  /// Its burst was refused.
  public void forgetBurst() {
    BURST.setRelease(this, (Burst) null);
  }

  /// The burst of its run, or null. Its step.
  public @Nullable Burst ownBurst() {
    return burst;
  }

  /// The same, as of a moment ago. Any thread.
  @Nullable Burst burst() {
    return (Burst) BURST.getAcquire(this);
  }

  /// Ends the burst of its run, if there is one.
  public void endBurst() {
    Burst open = burst;
    if (open != null) {
      open.end(this);
      if (burst == open) { // whoever was told by that may have sent, and have begun another
        forgetBurst(); // not before: what fails above is done again at the end of the run
      }
    }
  }

  // ---- events that it hands to its steps ----

  /// How many events the steps of this run have been given.
  public int deliveredEvents() {
    return deliveredEvents;
  }

  /// A step is given so many more.
  public void countDelivered(int events) {
    deliveredEvents += events;
  }

  // ---- bodies that its steps run ----

  /// Runs a body, which is a thread of its own with this one as its carrier.
  public void runMounted(Thread body, Runnable run) {
    endBurst(); // a body adds to none
    mounted = body;
    try {
      run.run();
    } finally {
      mounted = null;
    }
  }

  // ---- what others read ----

  /// The scheduler to which it belongs.
  public WorkScheduler scheduler() {
    return scheduler;
  }

  /// Whether it runs beside the others, for a while, and has no number.
  public boolean isCompensating() {
    return number == COMPENSATING;
  }

  /// Which of its scheduler's workers it is, from 0.
  public int number() {
    return number;
  }

  /// Its thread.
  public Thread thread() {
    return thread;
  }

  /// Where it is, the innermost frame first; in the body that its step runs, if there is one: the
  /// stack of a carrier ends where that of the body begins.
  public StackTraceElement[] stack() {
    Thread body = mounted; // safe: whoever asks looks whether still the same task runs
    return (body == null ? thread : body).getStackTrace();
  }

  /// What it runs now, or null.
  public @Nullable Task running() {
    return (Task) RUNNING.getAcquire(this);
  }

  /// What it has done, as of a moment ago.
  public WorkerCounters counters() {
    return new WorkerCounters(number, picks, stolen, parks, deque.size(), asleep);
  }

  WorkDeque<Task> deque() {
    return deque;
  }

  DelayHistogram delays() {
    return delays;
  }

  long picks() {
    return picks;
  }

  /// Whether thieves are welcome: a single task is left to its owner, who will run it in a moment
  /// with what it needs in the cache, unless the owner's step goes on and on.
  boolean hasStealable() {
    int size = deque.size();
    return size > 1 || (size == 1 && overdue);
  }

  /// Gives its single task to thieves, because its step goes on and on.
  void releaseLast() {
    overdue = true;
  }
}
