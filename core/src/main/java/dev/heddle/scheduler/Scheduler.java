// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.LoopEndedException;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.event.source.UnobservedOutcomes;
import dev.heddle.internal.PinnedFrame;
import dev.heddle.internal.StackGuard;
import dev.heddle.reactor.Reactor;
import dev.heddle.reactor.TimerQueue;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.scheduler.ParkTimers.ParkTimer;
import dev.heddle.scheduler.SchedulerParts.Births;
import dev.heddle.scheduler.context.ContextPool;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import dev.heddle.scheduler.context.TimedWaits;
import dev.heddle.scheduler.context.VirtualThreads;
import dev.heddle.scheduler.inbox.Inbox;
import dev.heddle.scheduler.inbox.Wakeup;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Runs the coroutines of one loop, one at a time, on the thread that calls [#run()].
public final class Scheduler implements ExecutionContext.Host, HomeLoop {
  /*
   * The scheduler has no coroutine of its own. Its code runs in two places:
   *
   *   suspend()  on the stack of the coroutine that suspends, and nextOn() on the stack of one that
   *              has ended: the tick, which decides what runs next. If that is the same coroutine,
   *              or one that has not started and can take the ended one's context, no switch is
   *              needed.
   *   run()      the carrier's own frame (the trampoline): mounts the next coroutine, polls the
   *              reactor, sleeps. On a worker of a ForkJoinPool it runs the rest of the loop in a
   *              second frame from the first sleep on; see ForkJoinBlocker.
   *
   *   suspend:    refuse where waits are forbidden
   *               -> nothing subscribed and not queued: return
   *               -> a cancellation or an interrupt is pending: throw
   *               -> WAITING, arm one event after the other; one has fired: return its outcome
   *               -> LEAVE handlers -> tick -> this coroutine is next: ENTER handlers, outcome
   *               -> yield to the trampoline ... mounted again -> ENTER handlers -> outcome
   *   tick:       clock (a sample every `stride` ticks) -> tick listener -> microtasks -> inbox
   *               -> expired timers -> decide what is next
   *   trampoline: the same tick -> carrier tasks, interrupts among them -> poll if one is due
   *               -> nothing ready: expired timers, else sleep in the reactor; start again
   *               -> mount the next coroutine; start again
   *
   * The tick runs only Heddle's own lock-free code. The JDK could park user code in the middle of a
   * tick on another coroutine's stack, with a lock that the carrier needs; a selector likewise.
   * Such code waits for the trampoline.
   *
   * What runs on the carrier with no coroutine mounted, and why it neither waits nor ends the loop:
   *   microtasks, timers, arrivals  the runtime's own code, lock-free. Events that they fire call
   *                                 the runtime's inline callbacks; user callbacks run in a
   *                                 coroutine of their own (notifyLater). A microtask that throws
   *                                 ends the loop (T6).
   *   carrier tasks (runOnCarrier)  read stacks, send interrupts, close descriptors, install signal
   *                                 handlers, start threads. They take only JDK locks with which no
   *                                 coroutine is parked. What one throws is reported.
   *   the driver                    takes its own locks, which no coroutine can hold; its
   *                                 completions fire events as timers do
   *   calls of the owner            tables of the tree, dumps. Log lines, reports and their
   *                                 listeners go to AsyncLog.
   *   spawns for other threads      create a coroutine, which calls childValue() (SpawnRequest)
   *   strategies, user functions    run in the coroutine that calls
   *   the end of the loop           each step is guarded; dependents of exported futures run on
   *                                 other threads
   * CodeRulesTest checks that core calls no logger elsewhere and takes no lock, CarrierClassesTest
   * that the carrier loads no class when a coroutine first waits. HoldDetector reports whatever
   * holds the carrier all the same; MonitorRetry helps where the JDK forgets to wake it.
   *
   * Foreign waits. If a mount ends with the context ACTIVE, the JDK has parked it. If a context
   * did not mount, a thread dump holds it. `foreign` counts both. The context comes back through
   * the inbox, or, woken by a coroutine of this loop, through the ready queue. Its arrival is
   * dropped if it waits for the loop by then.
   *
   * I1. Exactly one mount per resume of a suspended coroutine. None for a coroutine that resumes
   *     itself, and none for one that starts on an ended one's context. [SwitchCountTest]
   * I2. While the driver is armed, it is polled within 1 ms of running time and 16 dispatches, or
   *     61 dispatches and the end of a round. While it is not, neither the time nor a count of
   *     dispatches makes a poll due. The loop polls regardless before it declares a deadlock, for
   *     requestPoll() and runAfterRound(), and when microtasks are left and nothing is ready.
   *     [FairnessTest; PollPolicy]
   * I3. A coroutine that is ready when a round begins has run before the round ends (high priority
   *     apart: one in 65). [FairnessTest]
   * I4. The loop sleeps only when nothing is ready, after it has announced its sleep to the wake-up
   *     and checked the inbox once more. [WakeupStress]
   *
   * Cost. One comparison (nextCheck) a dispatch covers both the clock and the rounds; one flag
   * (carrierWorkPending) covers all that only the trampoline does.
   *
   * Rejected. A scheduler coroutine: a second switch. Polling the driver in the tick: its locks.
   *
   * Sources. T1-T5, T15; trap-7, trap-10, trap-14, trap-16, trap-60, trap-63, trap-64.
   */
  private final SchedulerOwner owner;
  private final ReactorDriver driver;
  private final Wakeup wakeup;
  private final Inbox inbox;
  private final ContextPool pool;
  private final TimerQueue timers;
  private final Reactor reactor;
  private final Clock clock;
  private final @Nullable TickListener tickListener;
  private final boolean reuse;
  private final Thread carrier = Thread.currentThread();
  private final @Nullable ForkJoinBlocker forkJoinBlocker = ForkJoinBlocker.of(carrier, this::run);

  // loop only
  private final ReadyQueue ready;
  private final @Nullable BornThreads bornThreads; // null: the JDK runs them
  private final ContextPrefetcher prefetcher;
  private final MicrotaskQueue microtasks;
  private final CarrierTasks carrierTasks;
  private long dispatched; // scheduling decisions: mounts, self-resumes, starts without a switch
  private final PollPolicy pollPolicy;
  private final ClockSampler clockSampler;
  private long nextCheck; // a copy of pollPolicy's, compared at every dispatch
  private long now; // a copy of pollPolicy's last clock read, used by every tick
  private boolean pollDue;
  private boolean carrierWorkPending; // a poll, a carrier task, a context to end
  private boolean over;
  private boolean inTick;
  private int foreign; // contexts that the JDK will bring back
  private int retriedResumes; // of these, resumes that a thread dump has refused
  private int armedEvents;
  private long mounts;
  private long retriedMounts;
  private long selfResumes;
  private long reuses;
  private long immediate;
  private final Turns turns = new Turns();
  private final DeadlockActions deadlockActions = new DeadlockActions();
  private final CoopBudget budget = new CoopBudget();
  final ParkTimers parkTimers;
  private @Nullable SwitchTrace trace; // null: none is being recorded
  @Nullable SwitchTrace entryTrace; // the same; null also while it is told of no entries

  // the carrier writes, any thread reads
  private volatile boolean ended;

  /// A scheduler whose carrier is the current thread.
  ///
  /// @param reuse whether an ended coroutine's context serves the next one
  public Scheduler(SchedulerOwner owner, SchedulerParts parts, boolean reuse) {
    this.owner = owner;
    this.driver = parts.driver();
    this.clock = parts.clock();
    this.tickListener = parts.tickListener();
    this.ready = ReadyQueue.of(parts.picker());
    this.reuse = reuse;
    this.bornThreads = parts.births() == Births.ON_LOOP ? new BornThreads(ready) : null;
    this.pollPolicy = new PollPolicy(clock, driver);
    this.clockSampler = new ClockSampler(clock);
    this.now = pollPolicy.now();
    this.wakeup = new Wakeup(driver::wakeup);
    this.inbox = new Inbox(wakeup);
    this.pool = new ContextPool(this, this::arrived, reuse);
    this.prefetcher = new ContextPrefetcher(ready, pool);
    this.microtasks = new MicrotaskQueue(owner::failed);
    this.carrierTasks = new CarrierTasks(owner);
    // a sleep moves a clock of a test: there each ends at a deadline exactly
    this.timers = new TimerQueue(now, clock == Clock.SYSTEM);
    this.reactor = new Reactor(driver, timers);
    boolean usual =
        clock == Clock.SYSTEM && bornThreads == null && parts.picker() == ReadyPicker.FIFO;
    this.parkTimers = new ParkTimers(this, timers, ready, usual ? TimedWaits.inTheJdk() : null);
  }

  // ---- views ----

  @Override
  public Inbox inbox() {
    return inbox;
  }

  public TimerQueue timers() {
    return timers;
  }

  public Reactor reactor() {
    return reactor;
  }

  public ContextPool contexts() {
    return pool;
  }

  public SchedulerCounters counters() {
    return new SchedulerCounters(mounts, retriedMounts, selfResumes, reuses, immediate);
  }

  public Thread carrier() {
    return carrier;
  }

  @Override
  public boolean isCarrier(Thread thread) {
    return thread == carrier;
  }

  /// What is called of each switch while a trace is being recorded; null: nothing.
  public @Nullable SwitchTrace trace() {
    return trace;
  }

  public void setTrace(@Nullable SwitchTrace with) {
    trace = with;
    entryTrace = with;
    parkTimers.setTrace(with);
  }

  /// Whether `told` is told of each coroutine that enters, from now on. Has no effect while others
  /// are told, too.
  public void tellEntries(SwitchTrace told, boolean on) {
    if (trace == told) {
      entryTrace = on ? told : null;
    }
  }

  /// The number of scheduling decisions so far.
  public long dispatches() {
    return dispatched;
  }

  /// A number that changes with each scheduling decision and each sleep. **Thread** any.
  public long progress() {
    // safe: compared with a later value; one that is slightly out of date does not matter
    return dispatched + reactor.sleeps();
  }

  /// Whether the carrier sleeps, also in a callback of the driver meanwhile. **Thread** any.
  public boolean isAsleep() {
    return wakeup.isAsleep();
  }

  /// Whether only foreign waits are left: nothing is ready, and only the JDK can wake a coroutine.
  public boolean hasOnlyForeignWaits() {
    return ready.isEmpty() && armedEvents == 0 && foreign > 0 && !driver.hasEmbeddedEventLoop();
  }

  /// The number of entries that are ready. **Thread** any.
  public int readyCount() {
    // safe: slightly out of date
    return ready.size();
  }

  /// Whether a tick runs now: nothing in it may wait.
  public boolean isInTick() {
    return inTick;
  }

  /// Whether something has arrived that the next tick will make ready. **Thread** any.
  public boolean hasArrivals() {
    return !inbox.isEmpty();
  }

  /// The number of events that coroutines wait for and that something outside of the loop fires.
  public int armedEvents() {
    return armedEvents;
  }

  /// The number of coroutines that the JDK has parked. **Thread** any.
  public int foreignCount() {
    return foreign;
  }

  /// Whether the loop has ended: a coroutine that still runs on one of its contexts is abandoned.
  @Override
  public boolean hasEnded() {
    return ended;
  }

  @Override
  public boolean isOnLoop() {
    ExecutionContext context = ExecutionContext.current();
    boolean mine = context == null ? Thread.currentThread() == carrier : context.host() == this;
    return mine && !ended;
  }

  @Override
  public void checkOnLoop() {
    if (!isOnLoop()) {
      throw new IllegalStateException(
          "this belongs to the loop on %s and was used from %s"
              .formatted(carrier.getName(), Thread.currentThread()));
    }
  }

  // ---- called by coroutines and events ----

  @Override
  public void requireStack() {
    StackGuard.requireRoom();
  }

  void ready(Waker waker) {
    if (waker.isPlain()) {
      ready.add(waker);
    } else {
      waker.traceReady(); // first, since it may overflow the stack
      ready.addTo(waker.isHighPriority(), waker);
    }
  }

  private void arrived(ExecutionContext context) {
    if (trace != null) {
      trace.arrived(context);
    }
    ready.add(context);
  }

  /// Queues a microtask for the next tick.
  public void post(Microtask task) {
    microtasks.add(task);
  }

  /// Resumes a context whose foreign wait has ended. Called on the trampoline, which claimed it.
  ///
  /// @return whether it has run; false also where that cannot be determined
  public boolean resumeNow(ExecutionContext context) {
    dispatched++;
    if (tickListener == null) {
      resumeArrived(context);
    } else {
      tickListener.beforeResume(context);
      resumeArrived(context);
      tickListener.afterResume(context);
    }
    return !context.isActive() || context.isParked();
  }

  /// Queues a carrier task: a piece of the runtime's own work that runs with no coroutine mounted,
  /// because it reads a stack or takes a JDK lock with which no coroutine can be parked. It runs no
  /// user code and no logger, which may wait for what only this thread can wake. What it throws is
  /// reported and affects no other task.
  public void runOnCarrier(Runnable task) {
    carrierTasks.add(task);
    carrierWorkPending = true;
  }

  /// Runs a piece of the runtime's own work that checks for stack itself, in a tick: now if there
  /// is stack for it, otherwise as a carrier task. An arrival may cancel this way: a coroutine that
  /// only computes notices that, and a tick at the end of its stack does not stop half-way.
  public void runWithRoom(Runnable task) {
    if (StackGuard.hasAmpleRoom()) {
      task.run();
    } else {
      runOnCarrier(task);
    }
  }

  /// Queues a carrier task as [#runOnCarrier] does, after every entry has had a turn that is ready
  /// now or that the reactor or another thread has woken by now. Called on the trampoline.
  public void runAfterRound(Runnable task) {
    try {
      poll(true);
      inbox.drain();
    } finally {
      RoundEnd end = new RoundEnd(() -> runOnCarrier(task));
      ready.addHigh(end);
      ready.add(end);
    }
  }

  /// Polls the reactor as soon as no coroutine is mounted, before others run.
  public void requestPoll() {
    pollDue = true;
    carrierWorkPending = true;
  }

  @Override
  public long nanoTime() {
    return clock.nanoTime();
  }

  /// The time of the last clock read.
  long coarseNanoTime() {
    return now;
  }

  /// Makes [#run()] return: the loop has nothing left to do.
  public void finish() {
    over = true;
    carrierWorkPending = true; // no coroutine may run on; the trampoline ends the loop
  }

  /// As [#finish()], from a coroutine, which does not continue.
  ///
  /// @return false, and nothing has happened, where a frame of `self` is pinned
  public boolean finishFrom(ExecutionContext self) {
    boolean wasOver = over;
    finish();
    try {
      return self.suspend();
    } finally {
      over = wasOver; // a coroutine that has left does not come here
    }
  }

  @Override
  public void eventArmed() {
    armedEvents++;
  }

  @Override
  public void eventDisarmed() {
    armedEvents--;
  }

  @Override
  public void notifyLater(Runnable notification) {
    owner.notifyLater(notification);
  }

  @Override
  public UnobservedOutcomes futures() {
    return owner.futures();
  }

  @Override
  public @Nullable Object await(EventSource event) {
    return await(event, Deadline.never(), null);
  }

  @Override
  public @Nullable Object await(EventSource event, Deadline deadline) {
    return await(event, deadline, null);
  }

  @Override
  public @Nullable Object await(EventSource event, Awaitable<?> token) {
    return await(event, Deadline.never(), EventSource.of(token));
  }

  private static @Nullable Object await(
      EventSource event, Deadline deadline, @Nullable EventSource token) {
    Waker self = Waker.define(event);
    self.renewWithTimeout(deadline, token);
    self.resumeWhen(event);
    try {
      return self.scheduler().suspend(self);
    } catch (Throwable e) {
      event.onSuperseded(e);
      throw e;
    }
  }

  /// Moves the current coroutine behind all that are ready.
  public void yieldFrom(Waker self) {
    refuseToWait(self);
    try {
      self.beginYield();
      switchOutAndIn(self);
    } catch (StackOverflowError e) {
      self.status = Waker.NO_STATUS; // no call here: the stack has ended
      throw e;
    }
    self.endYield();
  }

  /// A number below `size`, as if by chance; the same ones in each run of a program.
  public int nextTurn(int size) {
    return turns.next(size);
  }

  /// Counts a call that may complete at once. **Suspends** at every 64th without a wait in between:
  /// a peer that sends as fast as the coroutine reads must not keep the loop to itself.
  public void consumeBudget(Waker self) {
    if (budget.isUsedUp(dispatched)) {
      yieldFrom(self);
    }
  }

  /// Suspends the current coroutine until an event that it has subscribed to wakes it.
  ///
  /// @return the result it was woken with
  public @Nullable Object suspend(Waker self) {
    refuseToWait(self);
    if (!self.isQueued()) {
      if (!self.hasSubscriptions()) {
        return null;
      }
      if (self.isCancellationPending()) {
        self.clearOwnInterrupt();
      }
      if (self.isCancellationPending()) {
        // drops the subscriptions, and throws the cancellation; if every wait throws
        // (forced cancellation), the others run first
        yieldFrom(self);
        throw new IllegalStateException("cancelled, but with nothing to throw: " + self.describe());
      }
      if (self.hasInterrupt()) {
        throw self.interruptedBeforeWait();
      }
      try {
        StackGuard.requireRoomOnEntry(); // arming must not stop half-way
      } catch (StackOverflowError _) {
        self.disarmAll();
        throw new StackOverflowError(self.describe() + " has no stack left to wait on");
      }
      if (!self.beginWait()) {
        immediate++;
        return self.deliver();
      }
    }
    try {
      switchOutAndIn(self);
    } catch (StackOverflowError e) {
      // the next wait, or the end of the coroutine, drops the subscriptions
      self.status = Waker.NO_STATUS; // no call here: the stack has ended
      throw e;
    }
    return self.deliver();
  }

  // every path after the LEAVE handlers ends in the ENTER handlers, but for a StackOverflowError
  private void switchOutAndIn(Waker self) {
    try {
      self.switchedOut();
      if (!isNext(self)) {
        ExecutionContext context = self.context();
        if (context == null || !context.suspend()) {
          throw PinnedFrame.refusalOf(self.describe());
        }
        if (ended) {
          throw new LoopEndedException(
              self.describe() + " was abandoned by its loop, which has ended");
        }
      }
    } catch (StackOverflowError e) {
      throw e; // the callers reset the status; there may be no stack for the ENTER handlers
    } catch (Throwable e) {
      if (ended) {
        // the caller now runs on a JDK thread: it must not touch the loop's data
        self.abandonWait();
      } else {
        // pinned, or a LEAVE handler failed: the coroutine did not suspend
        self.suspendFailed(e);
      }
      throw e;
    }
    self.switchedIn();
  }

  private void refuseToWait(Waker self) {
    if (self.isHandlingSwitch()) {
      throw self.insideHandler();
    }
    if (inTick) {
      throw new IllegalStateException(
          self.describe() + " was asked to wait inside the scheduler; this is a defect of Heddle");
    }
  }

  /// Runs a tick. Whether `self` is next then; takes it out of the ready queue in that case.
  private boolean isNext(Waker self) {
    tickOnCoroutine();
    if (carrierWorkPending || ready.peek() != self || !self.isQueued()) {
      return false;
    }
    ready.poll();
    dispatched++;
    selfResumes++;
    return true;
  }

  /// The next occupant of a context whose coroutine has ended: what is next, unless it has started.
  @Override
  public @Nullable Occupant nextOn(ExecutionContext context) {
    if (ended || !reuse) {
      return null;
    }
    tickOnCoroutine();
    while (!carrierWorkPending && ready.peek() instanceof Waker waker) {
      if (waker.isIgnored()) {
        ready.poll();
        waker.finaliseIgnored();
      } else if (waker.isQueued() && !waker.isStarted() && waker.context() == null) {
        ready.poll();
        dispatched++;
        reuses++;
        waker.mountOn(context);
        return waker;
      } else {
        return null;
      }
    }
    return null;
  }

  @Override
  public void runBorn(Runnable turn, @Nullable Thread thread) {
    BornThreads own = bornThreads;
    if ((own == null || !inbox.post(new BornThread(own, turn, thread))) && !pool.isDropped()) {
      VirtualThreads.defaultScheduler().execute(turn);
    }
  }

  /// The threads that it runs and that are no coroutines; null: the JDK runs them.
  public @Nullable BornThreads bornThreads() {
    return bornThreads;
  }

  @Override
  public void broken(ExecutionContext context, Throwable failure) {
    if (!ended) {
      owner.failed(failure);
    }
  }

  // ---- the tick ----

  private void tickOnCoroutine() {
    if (dispatched >= nextCheck) {
      checkPollDue();
    }
    // without stack for a tick the trampoline does the work: this coroutine is about to leave
    if (hasWork() && StackGuard.hasAmpleRoom()) {
      work(now, true);
    }
  }

  private boolean hasWork() {
    return !inbox.isEmpty()
        || timers.mayBeDue(now)
        || !microtasks.isEmpty()
        || tickListener != null;
  }

  private void work(long time, boolean betweenRuns) {
    inTick = true;
    try {
      if (tickListener != null) {
        tickListener.onTick();
      }
      microtasks.run();
      inbox.drain();
      if (timers.mayBeDue(time)) {
        timers.advance(time);
      }
    } finally {
      inTick = false;
    }
    if (betweenRuns && trace != null) {
      trace.worked();
    }
  }

  /// A tick for code that only computes: it delivers what is due, and the coroutines that this
  /// wakes run when the caller suspends. A coroutine may call this as often as it likes.
  public void tickWhileComputing() {
    if (clockSampler.isDue() || !inbox.isEmpty() || !microtasks.isEmpty()) {
      long time = clockSampler.readClock();
      if (!inTick && StackGuard.hasAmpleRoom()) {
        work(time, false);
      }
    }
  }

  private void checkPollDue() {
    if (pollPolicy.check(dispatched, ready.size())) {
      requestPoll();
    }
    applyPollPolicy();
  }

  private void applyPollPolicy() {
    now = pollPolicy.now();
    nextCheck = pollPolicy.nextCheck();
  }

  // ---- the trampoline ----

  /// Runs until [#finish()], or until the owner ends a loop in which nothing is ready.
  public void run() {
    parkTimers.serve(this::runRounds);
  }

  private void runRounds() {
    while (!over) {
      if (hasWork()) {
        work(now, true);
      }
      if (carrierWorkPending) {
        runCarrierWork();
        if (over) {
          return;
        }
      }
      prefetcher.beforePoll();
      Object next = ready.poll();
      if (next != null) {
        dispatch(next);
      } else if (microtasks.isEmpty()) {
        idle();
      } else {
        // tasks beyond the budget, or behind one that failed; I/O and timers must make progress,
        // too
        pollPolicy.afterIdle(dispatched);
        applyPollPolicy();
        requestPoll();
      }
    }
  }

  /// Runs the threads that are no coroutines until none of them is ready. Called after [#run()].
  public void runReadyThreads() {
    for (over = bornThreads == null; bornThreads != null && !over; ) {
      work(now, true); // brings what the JDK has woken
      carrierTasks.run();
      over = !bornThreads.next(this::dispatch) || over; // a turn may end the loop, too
    }
  }

  private void runCarrierWork() {
    carrierWorkPending = false;
    carrierTasks.run();
    pool.trim();
    if (trace != null) {
      trace.worked();
    }
    if (pollDue) {
      poll(true);
    }
  }

  private void dispatch(Object next) {
    dispatched++;
    if (dispatched >= nextCheck) {
      checkPollDue();
    }
    if (next instanceof Waker waker) {
      dispatch(waker);
    } else if (next instanceof ExecutionContext context) {
      resumeArrived(context);
    } else if (next instanceof ParkTimer timer) {
      ExecutionContext context = timer.resume();
      if (context != null) {
        resumeArrived(context);
      }
    } else if (next instanceof BornThread born) {
      born.run();
    } else {
      ((RoundEnd) next).reached();
    }
  }

  private void dispatch(Waker waker) {
    if (waker.isHandlingSwitch()) {
      waker.deferResume();
    } else if (waker.isQueued()) {
      ExecutionContext context = waker.context();
      if (context == null) {
        context = pool.acquire(waker);
        waker.mountOn(context);
      }
      mount(context);
    } else if (waker.isIgnored()) {
      waker.finaliseIgnored();
    }
    // else a stale entry: its wait was abandoned after it had been queued
  }

  /// A context that the JDK has returned: its wait is over, or a refused resume can be tried again.
  private void resumeArrived(ExecutionContext context) {
    context.clearPosted();
    if (context.isActive() || context.isResumePending()) {
      foreign--;
      retriedResumes -= context.isResumePending() ? 1 : 0;
      mount(context);
    }
    // else an echo of a thread dump: the context waits for the loop, not for the JDK
  }

  private void mount(ExecutionContext context) {
    mounts++;
    if (!parkTimers.mount(context)) {
      // another thread reads its stack; the JDK returns the context afterwards
      retriedMounts++;
      retriedResumes++;
      foreign++;
    } else if (context.isActive()) {
      foreign++;
      parkTimers.parked(context);
      if (context.occupant() instanceof Waker waker) {
        waker.parked();
        owner.parked(waker);
      }
      if (inTick) {
        owner.failed(
            new IllegalStateException(
                "parked by the JDK inside a tick; this is a defect of Heddle"));
      }
    }
  }

  private void poll(boolean noWait) {
    pollDue = false;
    pollPolicy.onPoll(dispatched);
    reactor.poll(noWait);
  }

  private void idle() {
    if (over || (!owner.maySleep() && retriedResumes == 0)) {
      // a carrier task may have finished the loop
      over = true;
      return;
    }
    boolean waits = owner.maySleep();
    // without a timer the time is not needed before the sleep is over
    pollPolicy.beforeIdle(dispatched, timers.size() > 0 || !waits);
    applyPollPolicy();
    if (timers.mayBeDue(now) && timers.advance(now) > 0) {
      // start over, also when nothing is ready: one of the timers may be the shutdown deadline
      return;
    }
    if (!waits) {
      // a coroutine whose mount was refused is not waiting: the thread that reads its stack is
      // about to release it
      Thread.onSpinWait();
    } else if (isNothingArmed()) {
      pollBeforeDeadlock();
    } else if (forkJoinBlocker == null || !forkJoinBlocker.blockAndRun()) {
      sleep();
    }
  }

  private void pollBeforeDeadlock() {
    poll(true);
    inbox.drain();
    if (ready.isEmpty() && !over && isNothingArmed() && !deadlockActions.run(ready)) {
      owner.onDeadlock();
    }
  }

  /// What runs before the loop reports a deadlock; if it wakes a coroutine, there is none.
  public DeadlockActions deadlockActions() {
    return deadlockActions;
  }

  private boolean isNothingArmed() {
    return armedEvents == 0 && foreign == 0 && !driver.hasEmbeddedEventLoop();
  }

  private void sleep() {
    if (hasOnlyForeignWaits()) {
      owner.onOnlyForeignWaits();
    }
    wakeup.beforeSleep();
    if (inbox.isEmpty()) {
      poll(false);
    }
    wakeup.afterSleep();
    owner.onWake();
    pollPolicy.afterSleep(dispatched);
    applyPollPolicy();
    if (Thread.interrupted()) {
      owner.carrierInterrupted();
    }
  }

  // ---- the end ----

  /// The pool has contexts for [ContextPool#trim()] to end.
  @Override
  public void trimDue() {
    carrierWorkPending = true;
  }

  /// Refuses everything from now on, and ends the contexts and the driver. Contexts that the JDK
  /// has parked go to its scheduler, but for those of a simulation.
  public void close() {
    ended = true;
    parkTimers.handOver(owner::carrierTaskFailed);
    microtasks.close();
    pool.close();
    if (bornThreads != null) {
      pool.drop(Runnable::run); // in a simulation nothing continues after its end
    }
    inbox.close();
    carrierTasks.run(); // they see that the loop has ended
    parkTimers.abandonReady();
    reactor.close();
  }

  /// Refuses everything from now on, and runs nothing: see [dev.heddle.loop.LoopRuntime#crash].
  ///
  /// @param step runs a step, after whose failure the next one follows
  public void drop(Consumer<Runnable> step) {
    ended = true;
    parkTimers.end();
    pool.drop(step);
    step.accept(inbox::close); // makes known the threads that have not begun
  }
}
