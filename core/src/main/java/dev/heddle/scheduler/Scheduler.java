// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.LoopEndedException;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventHome;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.FutureLedger;
import dev.heddle.internal.PinnedFrame;
import dev.heddle.internal.StackReserve;
import dev.heddle.reactor.Reactor;
import dev.heddle.reactor.TimerQueue;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.scheduler.context.ContextHost;
import dev.heddle.scheduler.context.ContextPool;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.Hosted;
import dev.heddle.scheduler.inbox.Inbox;
import dev.heddle.scheduler.inbox.Wakeup;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// Runs the coroutines of one loop, one at a time, on the thread that calls [#run()].
public final class Scheduler implements ContextHost, EventHome {
  /*
   * Two places where the scheduler's code runs, and no coroutine of its own:
   *
   *   suspend()  on the stack of the coroutine that suspends, and next() on that of one that has ended: the tick. It decides
   *              who is next. If that is the coroutine itself, or one that has not started and can have the ended one's
   *              context, there is no switch.
   *   run()      the trampoline, the carrier's own frame: mounts who is next, looks at the reactor, sleeps. On a worker of a
   *              ForkJoinPool it runs the rest of the loop in a second frame from the first sleep on, see PoolGuest.
   *
   *   suspend:   refuse where nobody may wait -> nothing subscribed and not queued: return -> a cancellation is pending: throw
   *              -> WAITING, arm one event after the other; one has fired: return its outcome, nothing else happens
   *              -> LEAVE handlers -> tick -> next is this coroutine: ENTER handlers, return
   *              -> yield to the trampoline ... mounted again -> ENTER handlers -> outcome
   *   tick:      clock (a sample every so many ticks) -> heartbeat -> microtasks -> inbox -> expired timers -> who is next
   *   trampoline: the same tick -> interrupts to be sent -> nothing ready: sleep in the reactor -> look due: look -> mount next
   *
   * The tick runs Heddle's own lock-free code only. User code on another coroutine's stack could be parked by the JDK in the
   * middle, with a lock that the carrier needs; so could a selector. Those wait for the trampoline.
   *
   * What runs on the carrier with no coroutine mounted, and why it neither waits nor ends the loop:
   *   microtasks, timers, arrivals  the runtime's own, lock-free; what they fire are inline callbacks of the runtime's, and a coroutine
   *                                 of its own for callbacks of users' (notifyLater). A microtask that throws ends the loop (T6)
   *   errands (onTrampoline)        stacks, interrupts, closing of descriptors, signals, threads to be started: locks of the JDK's that
   *                                 no coroutine is parked with. Each is guarded: what it throws is reported
   *   the driver                    its own locks, which no coroutine can hold; its completions fire as timers do
   *   the owner's calls             tables of the tree, dumps. Lines for the log, reports and their listeners are handed to AsyncLog
   *   spawns for other threads      the coroutine is made here; childValue() and the body run in it (SpawnRequest)
   *   spawn strategies, iterators,  in the coroutine that calls
   *   functions of futures, tokens
   *   the loop's end                a guard for each step; dependents of exported futures on threads of their own
   * RoomsTest sees to it that the core calls no logger elsewhere, and takes no lock. Whatever waits all the same is reported by HoldWatch.
   *
   * Foreign waits. A mount that ends with the context HOSTING has been parked by the JDK, one that did not mount is held by a
   * thread dump. `foreign` counts both; the context comes back through the inbox. An arrival is dropped when the context by then waits for the loop.
   *
   * I1. Exactly one mount per resume of a suspended coroutine, none for one that resumes itself, none for one that starts on an
   *     ended one's context. [SwitchCountTest]
   * I2. The reactor is looked at within 1 ms of running time and 16 dispatches, or 61 dispatches and the end of a round, while it is armed;
   *     never else. [FairnessTest; Pace]
   * I3. Whoever was ready when a round began has run before the round ends (high priority apart: one in 65). [FairnessTest]
   * I4. The loop sleeps only when nothing is ready, after it has told its wake-up and looked at the inbox once more. [WakeupStress]
   *
   * Cost. One comparison (attentionAt) a dispatch stands for the clock and the rounds, one flag (chores) for all that only the
   * trampoline does.
   *
   * Rejected. A scheduler coroutine: a second switch each time. Polling the driver in the tick: its locks.
   *
   * Sources. DESIGN 3.1, facts 4-8; promises T1-T5, T15; traps 7, 10, 14, 16, 60, 63, 64.
   */
  private final SchedulerOwner owner;
  private final ReactorDriver driver;
  private final Wakeup wakeup;
  private final Inbox inbox;
  private final ContextPool pool;
  private final TimerQueue timers;
  private final Reactor reactor;
  private final Clock clock;
  private final @Nullable Heartbeat heartbeat;
  private final boolean reuse;
  private final Thread carrier = Thread.currentThread();
  private final @Nullable PoolGuest guest = PoolGuest.of(carrier, this::run);

  // loop only
  private final ReadyQueue ready;
  private final Foresight foresight;
  private final MicrotaskQueue microtasks;
  private final ArrayDeque<Runnable> errands = new ArrayDeque<>(); // of the trampoline
  private long dispatched; // decisions who is next: mounts, self-resumes, starts without a switch
  private final Pace pace;
  private final Glances glances;
  private long attentionAt; // the pace's next dispatch: kept here, for every dispatch compares it
  private long now; // as the pace last read it: every tick asks for it
  private boolean lookDue;
  private boolean chores; // something for the trampoline: a look, an interrupt, a context to end
  private boolean over;
  private boolean inTick;
  private int foreign; // contexts that the JDK brings back
  private int heldUp; // of these, resumes that met a thread dump
  private int armedEvents;
  private final SchedulerCounters counters = new SchedulerCounters();
  private final Fairness fairness = new Fairness(this);

  // the carrier writes, any thread reads
  private volatile boolean ended;

  /// A scheduler whose carrier is the current thread.
  ///
  /// @param reuse whether a finished coroutine's context serves the next one
  public Scheduler(SchedulerOwner owner, SchedulerParts parts, boolean reuse) {
    this.owner = owner;
    this.driver = parts.driver();
    this.clock = parts.clock();
    this.heartbeat = parts.heartbeat();
    this.ready = ReadyQueue.of(parts.picker());
    this.reuse = reuse;
    this.pace = new Pace(clock, driver);
    this.glances = new Glances(clock);
    this.now = pace.now();
    this.wakeup = new Wakeup(driver::wakeup);
    this.inbox = new Inbox(wakeup);
    this.pool = new ContextPool(this, this::arrived, reuse);
    this.foresight = new Foresight(ready, pool);
    this.microtasks = new MicrotaskQueue(owner);
    this.timers = new TimerQueue(now);
    this.reactor = new Reactor(driver, timers);
  }

  // ---- views ----

  @Override
  public Inbox inbox() {
    return inbox;
  }

  /// The loop's timers.
  public TimerQueue timers() {
    return timers;
  }

  /// The loop's reactor.
  public Reactor reactor() {
    return reactor;
  }

  /// The loop's contexts.
  public ContextPool contexts() {
    return pool;
  }

  /// Counts calls that do not wait.
  public Fairness fairness() {
    return fairness;
  }

  /// What has been counted so far.
  public SchedulerCounters counters() {
    return counters;
  }

  /// The thread it runs on.
  public Thread carrier() {
    return carrier;
  }

  @Override
  public boolean isCarrier(Thread thread) {
    return thread == carrier;
  }

  /// How often it was decided who is next.
  public long dispatches() {
    return dispatched;
  }

  /// Whether a thread that is parked for `blocker` sleeps in a driver; for any thread.
  public static boolean isDriver(@Nullable Object blocker) {
    return blocker instanceof ReactorDriver
        || (blocker != null && blocker.getClass().getName().startsWith("dev.heddle.netty."));
  }

  /// A number that changes with each decision who is next and with each sleep; for any thread.
  public long progress() {
    // safe: a reader that sees a number of a moment ago compares it with the next one
    return dispatched + reactor.sleeps();
  }

  /// Whether the carrier sleeps until something happens, or is in a callback of the driver that it
  /// slept in; for any thread.
  public boolean isAsleep() {
    return wakeup.isAsleep();
  }

  /// Whether only the JDK can wake somebody.
  public boolean hasOnlyForeignWaits() {
    return ready.isEmpty() && armedEvents == 0 && foreign > 0 && !driver.hasGuests();
  }

  /// How many could run at once; for any thread.
  public int readyCount() {
    // safe: a number of a moment ago
    return ready.size();
  }

  /// How many the JDK has parked; for any thread.
  public int foreignCount() {
    return foreign;
  }

  /// Whether the loop is over: whoever still runs on one of its contexts was abandoned.
  @Override
  public boolean hasEnded() {
    return ended;
  }

  /// Whether somebody could run at once.
  boolean hasReady() {
    return !ready.isEmpty();
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
          "this belongs to the loop on "
              + carrier.getName()
              + " and was used from "
              + Thread.currentThread());
    }
  }

  // ---- what coroutines and events ask for ----

  @Override
  public void requireStack() {
    StackReserve.require();
  }

  void ready(Waker waker) {
    if (waker.isHighPriority()) {
      ready.addHigh(waker);
    } else {
      ready.add(waker);
    }
  }

  /// Queues a piece of the runtime's own work for the next tick.
  public void post(Microtask task) {
    microtasks.add(task);
  }

  /// Resumes a context that the JDK has just let go on, and that the carrier has claimed. On the
  /// trampoline.
  ///
  /// @return whether it has run; false also where that cannot be told
  public boolean resumeNow(ExecutionContext context) {
    dispatched++;
    goOn(context);
    return !context.isHosting() || context.isParked();
  }

  /// Runs a piece of the runtime's own work with no coroutine mounted: what reads every stack, or
  /// takes locks of the JDK's that no coroutine can be parked with. No code of users', no log: that
  /// may wait for what only this thread can wake. What it throws is reported, and costs only
  /// itself.
  public void onTrampoline(Runnable errand) {
    errands.add(errand);
    chores = true;
  }

  /// Runs `errand` as [#onTrampoline] does, when everybody who is ready now, or whom the reactor or
  /// another thread has woken by now, has had a turn. On the trampoline.
  public void afterRound(Runnable errand) {
    try {
      look();
      inbox.drain();
    } finally {
      RoundEnd end = new RoundEnd(errand);
      ready.addHigh(end);
      ready.add(end);
    }
  }

  /// Stands in both lanes of the ready queue, behind those of a round.
  private final class RoundEnd {
    private final Runnable errand;
    private boolean metBefore; // in the other lane

    RoundEnd(Runnable errand) {
      this.errand = errand;
    }

    void met() {
      if (metBefore) {
        onTrampoline(errand);
      }
      metBefore = true;
    }
  }

  /// Looks at the reactor as soon as nobody is mounted, before others run.
  public void lookSoon() {
    callForLook();
  }

  /// The time, read anew.
  @Override
  public long nanoTime() {
    return clock.nanoTime();
  }

  /// The time as it was last read.
  long coarseNanoTime() {
    return now;
  }

  /// Makes [#run()] return: nothing is left to do.
  public void finish() {
    over = true;
    chores = true; // nobody runs on but the trampoline, which is at its end
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
  public FutureLedger futures() {
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
      event.gaveWayTo(e);
      throw e;
    }
  }

  /// Puts the current coroutine behind all that are ready.
  public void yieldFrom(Waker self) {
    refuseToWait(self);
    try {
      self.beginYield();
      leaveAndEnter(self);
    } catch (StackOverflowError e) {
      self.status = Waker.NO_STATUS; // no call here: the stack has ended
      throw e;
    }
    self.endYield();
  }

  /// Suspends the current coroutine until what it has subscribed to wakes it.
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
        // a wait that cannot begin leaves no subscription behind
        yieldFrom(self);
        throw new IllegalStateException("cancelled, but with nothing to throw: " + self.describe());
      }
      if (self.hasInterrupt()) {
        throw self.interruptedBeforeWait();
      }
      if (!StackReserve.isThere()) {
        // arming must not stop half-way
        self.drop();
        throw new StackOverflowError(self.describe() + " has no stack left to wait on");
      }
      if (!self.beginWait()) {
        counters.immediate++;
        return self.deliver();
      }
    }
    try {
      leaveAndEnter(self);
    } catch (StackOverflowError e) {
      // what was subscribed is dropped at the next wait, or at the end
      self.status = Waker.NO_STATUS; // no call here: the stack has ended
      throw e;
    }
    return self.deliver();
  }

  // every path after the LEAVE handlers ends in the ENTER handlers
  private void leaveAndEnter(Waker self) {
    try {
      self.left();
      if (!isNext(self)) {
        leave(self);
      }
    } catch (StackOverflowError e) {
      throw e; // the callers' business; the handlers enter late
    } catch (Throwable e) {
      if (ended) {
        // on a thread of the JDK's by now: what belongs to the loop must not be touched
        self.abandonWait();
      } else {
        // pinned, or a LEAVE handler failed: the wait did not take place
        self.stayed(e);
      }
      throw e;
    }
    self.entered();
  }

  private void refuseToWait(Waker self) {
    if (self.isHandlingSwitch()) {
      throw self.insideAHandler();
    }
    if (inTick) {
      throw new IllegalStateException(
          self.describe() + " was asked to wait inside the scheduler; this is a defect of Heddle");
    }
  }

  private boolean isNext(Waker self) {
    tickOnCoroutine();
    if (chores || ready.peek() != self || !self.isQueued()) {
      return false;
    }
    ready.poll();
    dispatched++;
    counters.selfResumes++;
    return true;
  }

  private void leave(Waker self) {
    ExecutionContext context = self.context();
    if (context == null || !context.suspend()) {
      throw PinnedFrame.refusalOf(self.describe());
    }
    if (ended) {
      throw new LoopEndedException(
          self.describe() + " was left behind by its loop, which has ended");
    }
  }

  /// The next guest for a context whose guest has ended: one that has not started, if it is next.
  @Override
  public @Nullable Hosted nextOn(ExecutionContext context) {
    if (ended || !reuse) {
      return null;
    }
    tickOnCoroutine();
    while (!chores && ready.peek() instanceof Waker waker) {
      if (waker.isIgnored()) {
        ready.poll();
        waker.finaliseIgnored();
      } else if (waker.isQueued() && !waker.isStarted() && waker.context() == null) {
        ready.poll();
        dispatched++;
        counters.reuses++;
        waker.mountOn(context);
        return waker;
      } else {
        return null;
      }
    }
    return null;
  }

  @Override
  public void broken(ExecutionContext context, Throwable failure) {
    if (!ended) {
      owner.failed(failure);
    }
  }

  // ---- the tick ----

  private void tickOnCoroutine() {
    if (dispatched >= attentionAt) {
      payAttention();
    }
    // without the reserve the trampoline does it: this coroutine is about to leave anyway
    if (hasWork() && StackReserve.isThere()) {
      work(now);
    }
  }

  private boolean hasWork() {
    return !inbox.isEmpty() || timers.mayBeDue(now) || !microtasks.isEmpty() || heartbeat != null;
  }

  private void work(long time) {
    inTick = true;
    try {
      if (heartbeat != null) {
        heartbeat.beat();
      }
      microtasks.run();
      inbox.drain();
      if (timers.mayBeDue(time)) {
        timers.advance(time);
      }
    } finally {
      inTick = false;
    }
  }

  /// A tick for code that only computes: what is due reaches it, and whoever that wakes runs when
  /// it suspends. By a coroutine, as often as it likes.
  public void lookAround() {
    if (glances.isDue() || !inbox.isEmpty() || !microtasks.isEmpty()) {
      long time = glances.readClock();
      if (!inTick && StackReserve.isThere()) {
        work(time);
      }
    }
  }

  private void payAttention() {
    if (pace.attend(dispatched, ready.size())) {
      callForLook();
    }
    keepPace();
  }

  private void keepPace() {
    now = pace.now();
    attentionAt = pace.attentionAt();
  }

  private void callForLook() {
    lookDue = true;
    chores = true;
  }

  // ---- the trampoline ----

  /// Runs until [#finish()], or until the owner ends a loop in which nothing is ready.
  public void run() {
    while (!over) {
      if (hasWork()) {
        work(now);
      }
      if (chores) {
        doChores();
        if (over) {
          return;
        }
      }
      foresight.beforeNext();
      Object next = ready.poll();
      if (next != null) {
        dispatch(next);
      } else if (microtasks.isEmpty()) {
        idle();
      } else {
        // those beyond the budget, or behind one that failed; meanwhile the world goes on, too
        readClockAfterRest();
        callForLook();
      }
    }
  }

  private void doChores() {
    chores = false;
    runErrands();
    pool.trim();
    if (lookDue) {
      look();
    }
  }

  private void runErrands() {
    for (Runnable errand = errands.poll(); errand != null; errand = errands.poll()) {
      try {
        errand.run();
      } catch (Throwable e) {
        // behind it stand an interrupt to be sent, a descriptor to be closed, the loop's own end
        owner.errandFailed(e);
      }
    }
  }

  private void dispatch(Object next) {
    dispatched++;
    if (dispatched >= attentionAt) {
      payAttention();
    }
    if (next instanceof Waker waker) {
      dispatch(waker);
    } else if (next instanceof RoundEnd end) {
      end.met();
    } else {
      goOn((ExecutionContext) next);
    }
  }

  private void dispatch(Waker waker) {
    if (waker.isHandlingSwitch()) {
      waker.missTurn();
    } else if (waker.isQueued()) {
      ExecutionContext context = waker.context();
      if (context == null) {
        context = pool.take(waker);
        waker.mountOn(context);
      }
      mount(context);
    } else if (waker.isIgnored()) {
      waker.finaliseIgnored();
    }
    // else a wait that was abandoned after it had been queued: nothing to do
  }

  /// A context arrived from the JDK: its foreign wait is over, or a resume that did not mount can
  /// be tried again.
  private void goOn(ExecutionContext context) {
    context.readmit();
    if (context.isHosting() || context.isResumePending()) {
      foreign--;
      heldUp -= context.isResumePending() ? 1 : 0;
      mount(context);
    }
    // else an echo of a thread dump: the context waits for the loop, not for the JDK
  }

  private void mount(ExecutionContext context) {
    counters.mounts++;
    if (!context.mount()) {
      // somebody looks at its stack; the JDK hands it back when that is over
      counters.lostMounts++;
      heldUp++;
      foreign++;
    } else if (context.isHosting()) {
      foreign++;
      if (context.guest() instanceof Waker waker) {
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

  private void arrived(ExecutionContext context) {
    ready.add(context);
  }

  private void look() {
    looked();
    reactor.execute(true);
  }

  private void looked() {
    lookDue = false;
    pace.looked(dispatched);
  }

  private void idle() {
    if (over || (!owner.mayWait() && heldUp == 0)) {
      // an errand may have finished it
      over = true;
      return;
    }
    boolean waits = owner.mayWait();
    // without a timer nobody asks what time it is before the sleep is over
    pace.resting(dispatched, timers.size() > 0 || !waits);
    keepPace();
    if (timers.mayBeDue(now) && timers.advance(now) > 0) {
      // round again, also when nobody is ready: one of them may have been the shutdown deadline
      return;
    }
    if (!waits) {
      // who was resumed and did not mount is not waiting: whoever looks at its stack is about to
      // let it go
      Thread.onSpinWait();
    } else if (nothingIsExpected()) {
      lastLookBeforeVerdict();
    } else if (guest == null || !guest.ranTheRest()) {
      sleep();
    }
  }

  private void readClockAfterRest() {
    pace.rested(dispatched);
    keepPace();
  }

  private void lastLookBeforeVerdict() {
    look();
    inbox.drain();
    if (ready.isEmpty() && !over && nothingIsExpected()) {
      owner.nothingCanGoOn();
    }
  }

  private boolean nothingIsExpected() {
    return armedEvents == 0 && foreign == 0 && !driver.hasGuests();
  }

  private void sleep() {
    if (hasOnlyForeignWaits()) {
      owner.onlyForeignWaits();
    }
    wakeup.beforeSleep();
    if (inbox.isEmpty()) {
      looked();
      reactor.execute(false);
    }
    wakeup.afterSleep();
    owner.awake();
    pace.slept(dispatched);
    keepPace();
    if (Thread.interrupted()) {
      owner.carrierInterrupted();
    }
  }

  // ---- the end ----

  /// Something for [ContextPool#trim()] to do.
  @Override
  public void trimDue() {
    chores = true;
  }

  /// Refuses everything from now on, ends the contexts and the driver. Contexts that the JDK holds
  /// go to its default scheduler.
  public void close() {
    ended = true;
    microtasks.close();
    pool.close();
    inbox.close();
    runErrands(); // they find the loop ended
    for (Object next = ready.poll(); next != null; next = ready.poll()) {
      Object context = next instanceof Waker waker ? waker.context() : next;
      if (context instanceof ExecutionContext left) {
        left.abandon();
      }
    }
    reactor.close();
  }
}
