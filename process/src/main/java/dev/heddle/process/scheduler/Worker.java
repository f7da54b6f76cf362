// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.internal.VarHandles;
import dev.heddle.process.WorkerCounters;
import dev.heddle.process.scheduler.Task.StepResult;
import dev.heddle.scheduler.context.PlatformThreadState;
import java.lang.System.Logger.Level;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/// Runs tasks on its thread: first the newest of its own deque, then tasks of the global queue,
/// then half of another worker's deque.
public sealed class Worker extends CacheLinePadding permits SimulatedWorker {
  private static final int GLOBAL_QUEUE_INTERVAL =
      61; // picks; prime, so it does not beat with batches of 16 or 32
  private static final int GLOBAL_BATCH = 16; // taken along with the task that is run
  private static final int MAX_LIFO_POLLS = 3; // then the oldest task of the own deque is next
  private static final int SPIN_ROUNDS = 4; // failed searches before each one yields
  private static final int SEARCH_ROUNDS = 16; // failed searches before the worker parks
  private static final int BUDGET_STEPS = 16; // in a run, before other tasks get the worker
  private static final long BUDGET_NANOS = 200_000; // the same in time
  static final int COMPENSATING = -1; // in place of a number
  private static final long PAUSE_NANOS =
      1_000_000; // after an internal failure: other threads may free memory meanwhile
  private static final int MAX_FAILURES =
      1_000; // in a row, without a task between: at least a second
  private static final VarHandle RUNNING = VarHandles.find(lookup(), "running", Task.class);
  private static final VarHandle BURST = VarHandles.find(lookup(), "burst", Burst.class);

  private final WorkScheduler scheduler;
  private final int number;
  private final Thread thread;
  private final PlatformThreadState threadState;
  final Parking.Place place;
  final WorkDeque<Task> deque = new WorkDeque<>();
  final WakeUpJournal wakeUps = new WakeUpJournal();
  private final ObjIntConsumer<Task> wake = this::wake; // made while there is memory

  // this worker
  private boolean searching; // as the word of Parking counts it
  private int failures; // of the loop, without a task between
  private boolean isInTask; // inside step() or completed(): no other worker runs the task

  // this worker; other threads read values of a moment ago
  private int lifoPolls;
  private long picks;
  long stolen;
  private long parks;
  final DelayHistogram delays = new DelayHistogram();
  private final Task.Run unobserved = new Task.Run();
  Task.Run run = unobserved; // an observer swaps it, between two runs or in one
  private @Nullable Thread mounted; // the fiber that its step runs now
  private final BurstHeuristic burstHeuristic = new BurstHeuristic();
  private boolean hasBursts; // not while each message is recorded

  // this worker releases it; the scheduler monitor and reports acquire it
  @SuppressWarnings("unused") // through BURST
  private @Nullable Burst burst;

  // this worker releases it, without a fence; reports acquire it
  private @Nullable Task running;

  // the scheduler monitor: as of its last check
  long seenPicks;
  long seenSinceNanos;
  boolean seenReported;

  // set by the scheduler monitor, cleared by this worker; Parking defines the word
  private volatile boolean overdue;

  // observers write it, this worker reads it; safe: a call may be missing at either end
  private @Nullable WorkObserver runObserver; // null: nobody looks
  private @Nullable WorkObserver observer; // of messages, wake-ups and commands, too; or null

  /// A worker whose steps run on `thread`.
  ///
  /// @param number its index among the workers of the scheduler, or [#COMPENSATING]
  Worker(WorkScheduler scheduler, Thread thread, int number) {
    this.scheduler = scheduler;
    this.number = number;
    this.thread = thread;
    this.threadState = new PlatformThreadState(thread);
    this.place = new Parking.Place(thread);
    this.hasBursts = number != COMPENSATING; // the scheduler monitor does not check theirs
  }

  void start() {
    thread.start();
  }

  // ---- the loop ----

  /// Restarts [#loop] after a failure. It is a method of its own because of one error: if the JVM
  /// lacks memory to recreate objects that compiled code has optimised away, it throws an
  /// OutOfMemoryError past every catch block of the compiled method, inlined callers included. This
  /// method runs too rarely to be compiled.
  void runGuarded() {
    while (true) {
      try {
        loop();
        return;
      } catch (Throwable t) {
        try {
          recover(t);
        } catch (Throwable _) {
          // safe: this thread must survive; the next failure calls recover() again
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

  /// Runs a task, or parks until there may be one.
  ///
  /// @return whether the worker ends
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
    return !scheduler.hasUnfinished() || pause(); // the scheduler monitor will requeue those ends
  }

  private void stopSearching() {
    if (searching) {
      searching = false;
      try {
        scheduler.workFound();
      } catch (Throwable t) {
        // safe: the scheduler monitor wakes one, and our task must run
        logSafely("fails to wake the next worker", null, t);
      }
    }
  }

  /// Restores the state of this worker after a failure: the counts of [Parking], and the end of a
  /// task that was aborted in the middle. It has no other task in hand: between taking a task and
  /// running it, it calls nothing that can fail.
  private void recover(Throwable t) {
    if (isInTask) {
      abortTask();
    }
    if (place.isAsleep()) {
      scheduler.parking().cancelPark(place);
    }
    stopSearching(); // while a worker counts as searching, no other is woken
    logSafely("continues after an internal failure", null, t);
    if (++failures == MAX_FAILURES) {
      scheduler.lost(t);
    }
    var _ = pause();
  }

  /// Ends a task whose step() or completed() was aborted by an error that no catch block has seen:
  /// see [#runGuarded].
  private void abortTask() {
    isInTask = false;
    mounted = null;
    Task cut = running;
    if (cut != null) {
      cut.endSteps();
      scheduler.finishLater(cut);
    }
    RUNNING.setRelease(this, (Task) null);
  }

  private boolean pause() {
    LockSupport.parkNanos(this, PAUSE_NANOS);
    return false;
  }

  /// Writes to the log. Never throws, even without memory for the text, which it therefore builds
  /// itself.
  final void logSafely(String what, @Nullable Task task, Throwable t) {
    try {
      String of = task == null ? "" : ": " + task.getClass();
      UninterruptibleLog.write(Level.ERROR, thread.getName() + " " + what + of, t);
    } catch (Throwable _) {
      return; // safe: exits report it too
    }
  }

  /// Runs a READY task that was taken from its queue, or finishes the end of a COMPLETE one. On its
  /// own thread.
  void run(Task task) {
    picks++; // before `running`: a thread that reads the task also reads the new pick
    failures = 0;
    RUNNING.setRelease(this, task);
    Task.Run begun = run; // another one may take its place meanwhile
    begun.begins(task, picks);
    delays.record(task.queuedNanos);
    if (overdue) {
      overdue = false;
    }
    StepResult how = runSteps(task, begun); // throws nothing; another worker may run it now
    threadState.restore(); // thread state that the step has changed must not reach the next task
    RUNNING.setRelease(this, (Task) null);
    if (burst != null) {
      endBurst();
    }
    if (wakeUps.isOpen()) {
      finishWakeUps();
    }
    begun.ends(task, how);
  }

  /// Runs the task until it waits, ends, or has used up its budget.
  ///
  /// @return [StepResult#CONTINUE]: it is queued again
  StepResult runSteps(Task task, Task.Run run) {
    if (task.isComplete()) { // completed() has failed before
      return complete(task);
    }
    long deadline = 0;
    for (int left = BUDGET_STEPS; ; left--) {
      task.beginStep();
      StepResult stepResult;
      isInTask = true;
      try {
        stepResult = task.step(run);
      } catch (Throwable t) {
        logSafely("gives up a task", task, t);
        stepResult = StepResult.DONE; // otherwise it would stay RUNNING forever
      }
      isInTask = false; // from here on another worker may get it
      if (stepResult == StepResult.DONE) {
        task.endSteps();
        return complete(task);
      }
      if (stepResult != StepResult.CONTINUE && task.endRun(stepResult)) {
        return stepResult; // from here on other workers may run it
      }
      if (deadline == 0) {
        deadline = System.nanoTime() + BUDGET_NANOS;
      } else if (left <= 1 || System.nanoTime() - deadline >= 0) {
        task.makeReady();
        scheduler.enqueueLast(task);
        return StepResult.CONTINUE;
      }
    }
  }

  /// Completes a task that has ended.
  ///
  /// @return [StepResult#CONTINUE] when it has to be called again
  final StepResult complete(Task task) {
    isInTask = true;
    StepResult done = StepResult.DONE;
    try {
      endBurst(); // before the end becomes visible
      task.completed();
    } catch (VirtualMachineError _) {
      isInTask = false; // from here on another worker may get it
      scheduler.finishLater(task); // safe: it is called again until it does not throw
      done = StepResult.CONTINUE;
    } catch (Throwable t) {
      logSafely("gives up a task", task, t);
    }
    isInTask = false;
    return done;
  }

  private void finishWakeUps() {
    endBurst();
    scheduler.parking().wakeOne(); // for tasks that were queued without waking a worker
    wakeUps.finish(wake);
  }

  /// The next task from its own deque or a shared queue, without a search.
  private @Nullable Task next() {
    Task task;
    if (picks % GLOBAL_QUEUE_INTERVAL == GLOBAL_QUEUE_INTERVAL - 1) {
      scheduler.yieldToTimers();
      if ((task = pollStarved()) != null) {
        return task;
      }
    }
    if ((task = pollFirst()) != null) {
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

  /// A task that newer ones keep overtaking: from the global queue, or the oldest of the own deque.
  private @Nullable Task pollStarved() {
    Task task = pollBatch();
    return task != null ? task : deque.pollOldest();
  }

  private @Nullable Task pollFirst() {
    Task task = scheduler.first().poll();
    if (task != null) {
      tookShared();
    }
    return task;
  }

  private void tookShared() {
    WorkObserver told = runObserver;
    if (told != null) {
      told.tookShared();
    }
  }

  /// Takes the head of the global queue, and moves up to 16 more tasks to the own deque. So the
  /// global queue advances by a batch, even if this deque is never empty.
  private @Nullable Task pollBatch() {
    Task task = scheduler.global().pollInto(deque, GLOBAL_BATCH);
    if (task != null) {
      tookShared();
      try {
        if (deque.size() > 1) { // while we moved the batch, other workers saw it in no queue
          wakeThief();
        }
      } catch (Throwable t) {
        // safe: the scheduler monitor wakes one, and our task must run
        logSafely("fails to wake a worker", null, t);
      }
    }
    return task;
  }

  /// Searches all queues, several rounds, before it gives up.
  private @Nullable Task search() {
    WorkObserver told = runObserver;
    if (told != null) {
      told.searches();
    }
    for (int round = 0; round < SEARCH_ROUNDS; round++) {
      Task task = pollFirst();
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
        Task task = stealFrom(victim);
        if (task != null) {
          return task;
        }
      }
    }
    return null;
  }

  private @Nullable Task stealFrom(Worker victim) {
    Task task = victim.deque.stealInto(deque);
    int tasks = task == null ? 0 : 1 + deque.size();
    stolen += tasks;
    WorkObserver told = runObserver; // another thread may take it away
    if (task != null && told != null) {
      told.stole(task, tasks, victim.number, stolen);
    }
    return task;
  }

  private void park() {
    if (wakeUps.isOpen() || burst != null) { // an earlier attempt has failed
      finishWakeUps();
      return;
    }
    deque.clearStolen();
    Parking parking = scheduler.parking();
    parking.park(place, searching);
    searching = true; // Parking counts a worker that is woken, or cancels, as searching
    if (scheduler.hasWork() || scheduler.isHalted()) {
      parking.cancelPark(place);
    } else {
      parks++;
      WorkObserver told = runObserver;
      if (told != null) {
        told.sleeps();
      }
      while (place.isAsleep()) {
        var _ = Thread.interrupted(); // an interrupt would make each park return at once
        LockSupport.park(this);
      }
      told = runObserver; // maybe only meanwhile
      if (told != null) {
        told.slept(parks);
      }
    }
    scheduler.workerWoke(); // the scheduler monitor may have gone to sleep meanwhile
  }

  // ---- tasks that its steps wake ----

  /// Called before its step publishes an event for a task and wakes it; then [#endWakeUp] is
  /// called.
  public void beginWakeUp(Task task, int why) {
    endBurst(); // what is published next is behind it
    wakeUps.begin(task, why);
  }

  /// Called when its step has sent a message, before the receiver is woken.
  ///
  /// @param item null: it cannot be told from others
  public void sent(Task to, @Nullable Node item) {
    WorkObserver told = observer;
    if (told != null) {
      told.sent(to, item);
    }
  }

  /// Called before its step has a command executed.
  public void issued(Task by, Class<?> command, long tag) {
    WorkObserver told = scheduler.observerOf(this);
    if (told != null) {
      told.issued(by, command, tag);
    }
  }

  /// Called when its step, that of a supervisor, begins to restart children.
  public void restarts() {
    WorkObserver told = observer;
    if (told != null) {
      told.restarts();
    }
  }

  /// The wake-up of the last [#beginWakeUp] is done, or was not needed.
  public void endWakeUp() {
    wakeUps.end();
  }

  private void wake(Task task, int why) {
    scheduler.wake(task, why, this);
  }

  /// Pushes a READY task to the own deque. Only on this worker's thread, or in a fiber that is
  /// mounted on it.
  ///
  /// @return false when the deque is full and there is no memory for a longer array
  boolean push(Task task) {
    assert isCurrentThread() : "pushed to " + thread + " by " + Thread.currentThread();
    return deque.push(task);
  }

  private boolean isCurrentThread() {
    Thread caller = Thread.currentThread();
    return caller == thread || caller == mounted;
  }

  /// Wakes a worker after the push that has made the first stealable task. Later tasks need no
  /// wake-up: Parking, I4.
  void notifyFirstStealable() {
    if (deque.size() == 2) { // this worker runs one itself when its step ends
      wakeThief();
    }
  }

  private void wakeThief() {
    VarHandle.fullFence(); // a push is only a release store: Parking, memory order
    scheduler.parking().wakeOne();
  }

  // ---- the burst of its run ----

  /// Counts a message that its step sends to `receiver`.
  ///
  /// @return whether a burst pays, because the run has sent several to it in a row
  public boolean isBurst(long receiver) {
    return burstHeuristic.countSend(receiver, picks) && hasBursts;
  }

  public int burstPlaces() {
    return burstHeuristic.places();
  }

  /// Called before its step pushes a burst, to which it will add.
  public void beginBurst(Burst begun) {
    BURST.setRelease(this, begun);
  }

  /// Called when its burst was refused.
  public void forgetBurst() {
    BURST.setRelease(this, (Burst) null);
  }

  /// The burst of its run, or null. Called by its step.
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
      end(open);
      if (burst == open) { // code that end() calls may have sent, and begun another burst
        forgetBurst(); // last: if end() fails, the end of the run calls it again
      }
    }
  }

  /// Seals a burst, and wakes the receiver if it may have missed an item.
  void end(Burst open) {
    if (open.end()) {
      wake(open.to(), Task.BY_MESSAGE);
    }
  }

  /// Adds an item to a burst that its step has begun, and wakes the receiver if it waits.
  ///
  /// @return false when no place is left, or the burst is sealed or abandoned
  public boolean add(Burst open, @Nullable Object item) {
    if (!open.add(item)) {
      return false;
    }
    sent(open.to(), null);
    if (open.to().isWaitingForAnything()) { // otherwise it finds the item, or end() wakes it
      wake(open.to(), Task.BY_MESSAGE);
    }
    return true;
  }

  // ---- fibers of its steps ----

  /// Runs a fiber, which is a virtual thread, with this thread as its carrier.
  public void runMounted(Thread body, Runnable run) {
    endBurst(); // a fiber adds to no burst
    mounted = body;
    try {
      run.run();
    } finally {
      mounted = null;
    }
  }

  /// From how many a fiber counts its calls when it is mounted, and when it has read the clock.
  public int callsAtBudgetRead() {
    return 0;
  }

  /// The clock of the budgets of fibers, in nanoseconds.
  public long budgetNanos() {
    return System.nanoTime();
  }

  // ---- observers, from their threads ----

  @Nullable WorkObserver observer() {
    return observer;
  }

  /// Whether anything of it is as it is for an observer only.
  boolean isObserved() {
    return runObserver != null || run instanceof ObservedRun || hasBursts == isCompensating();
  }

  /// Sets who is told what it does; the next run is the first to be seen from its beginning.
  ///
  /// @param ofRuns null: nobody looks any more
  /// @param ofAll those of them who are told of messages, wake-ups and commands, too
  /// @param eachMessage whether its steps send each message as one, so that it can be told from the
  ///   others
  void observe(@Nullable WorkObserver ofRuns, @Nullable WorkObserver ofAll, boolean eachMessage) {
    run = ofRuns == null ? unobserved : ObservedRun.of(ofRuns, ofAll);
    runObserver = ofRuns;
    observer = ofAll;
    hasBursts = !eachMessage && !isCompensating();
  }

  // ---- reads from other threads ----

  public WorkScheduler scheduler() {
    return scheduler;
  }

  /// Whether it is a compensating worker, which has no number.
  public boolean isCompensating() {
    return number == COMPENSATING;
  }

  /// Its index among the workers of its scheduler, from 0.
  public int number() {
    return number;
  }

  public Thread thread() {
    return thread;
  }

  /// Its stack, the innermost frame first. While its step runs a fiber, the stack of that fiber:
  /// the stack of the carrier ends where the fiber is mounted.
  StackTraceElement[] stack() {
    Thread body = mounted; // safe: callers check that the same task still runs
    return (body == null ? thread : body).getStackTrace();
  }

  /// Its stack while it runs `task`; null when it runs another now.
  StackTraceElement @Nullable [] stackIn(Task task) {
    StackTraceElement[] stack = stack();
    return running() == task ? stack : null;
  }

  /// The task that it runs now, or null.
  public @Nullable Task running() {
    return (Task) RUNNING.getAcquire(this);
  }

  public WorkerCounters counters() {
    return new WorkerCounters(number, picks, stolen, parks, deque.size(), place.isAsleep());
  }

  long picks() {
    return picks;
  }

  /// Whether thieves may steal. A single task is left to its owner, which will run it in a moment
  /// with warm caches, unless the owner's step lasts long.
  boolean hasStealable() {
    int size = deque.size();
    return size > 1 || (size == 1 && overdue);
  }

  /// Lets thieves take its single task, because its step lasts long.
  void releaseLast() {
    overdue = true;
  }
}
