// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.LoopEndedException;
import dev.heddle.WaitCancelledException;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import dev.heddle.scheduler.context.NonCoroutineThread;
import dev.heddle.scheduler.context.VirtualThreads;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Ties a coroutine to the events that it waits for; part of the coroutine's object.
public abstract class Waker extends Subscriptions implements Occupant {
  /*
   * States.
   *   from       event                          to         who
   *   NO_STATUS  enqueue() (spawn, yield)       QUEUED     the spawner, or the coroutine
   *   NO_STATUS  beginWait()                    WAITING    the coroutine, with subscriptions
   *   WAITING    an event fires while arming    RESULT     the coroutine: no switch
   *   WAITING    an event fires                 QUEUED     the notifier, with an outcome
   *   WAITING    interruptWait(): cancelled     QUEUED     the canceller, without an outcome:
   *                                                        deliver() throws the cancellation
   *   WAITING    interrupted()                  QUEUED     the loop, for another thread
   *   QUEUED     another event fires            QUEUED     recorded; merged by the rules below
   *   RESULT     another event fires            RESULT     the same
   *   QUEUED     interruptWait(): cancelled     QUEUED     the canceller: nothing to do, because
   *                                                        deliver() and endYield() look for it
   *   QUEUED     ignore(), not started          IGNORED    the canceller
   *   QUEUED     begin()                        NO_STATUS  the coroutine, started
   *   QUEUED     endYield()                     NO_STATUS  the coroutine, which has yielded
   *   QUEUED     deliver()                      RESULT     the coroutine, resumed
   *   RESULT     deliver()                      NO_STATUS  the coroutine, before it continues
   *   WAITING,   abandonWait() (pinned,         NO_STATUS  the coroutine: it did not suspend, or
   *   QUEUED     overflow, a switch handler                gets a failure instead of its outcome
   *              failed, the loop has ended)
   *   IGNORED    finaliseIgnored()              NO_STATUS  the carrier, or in begin()
   * In any other state renew(), enqueue(), beginWait(), begin(), deliver() and finaliseIgnored()
   * throw IllegalStateException naming event and state. ignore() returns false. endYield() and
   * abandonWait() do not check: the coroutine itself calls them, at the end of its own wait. An
   * event that fires at a waker in NO_STATUS or IGNORED is late and ignored.
   *
   * Merging. Several events may come between the wake-up and the coroutine's turn.
   *   - The first success wins; later ones are only recorded as triggered.
   *   - An error beats a result.
   *   - Of two failures the newer one is thrown. The older is part of its report, so neither is
   *     lost.
   *   - A token or a deadline does not replace a failure (the token's own error is part of the
   *     failure's report), and a failure does not replace them: the failing event finds that no
   *     coroutine observes it (acceptsFailure()). An interrupt counts as a token.
   *   - A cancellation (of the coroutine, or of an awaited one) replaces no failure, whether of an
   *     awaited event or of a token. The coroutine's own cancellation stays pending, and the next
   *     suspension throws it. It replaces every outcome but a failure.
   *   - A final result (EventSource.isFinal()) is replaced by a failure only.
   *
   * Threads. The loop's.
   *
   * I1. Between two waits there is no subscription: every started event is stopped exactly once.
   *     Two exceptions: after a StackOverflowError in a wait, the next wait or the end of the
   *     coroutine drops the subscriptions; in a loop that has ended nothing drops them. [WakerTest]
   * I2. Subscribing arms nothing; only beginWait() does. [WakerTest]
   * I3. A waker that is QUEUED or IGNORED is in the ready queue until the scheduler polls it; no
   *     other waker is. Three exceptions: an abandoned wait leaves a stale entry, which the
   *     scheduler drops. A waker whose turn comes while the JDK has parked it in a LEAVE handler (a
   *     switch handler, called before its coroutine leaves the carrier) misses that turn and is
   *     queued again after the handler. If a thread dump refuses the mount, the waker stays QUEUED
   *     without an entry; its context arrives in the inbox and is queued in its place. [WakerTest,
   *     SwitchHandlerTest]
   *
   * Rejected. An owner for each subscribed event: the last stop() frees what an event holds, and
   * the garbage collector the rest (decision 0008).
   *
   * Sources. W1-W7, T8; trap-1, trap-5, trap-6, trap-9.
   */
  static final byte NO_STATUS = 0;
  private static final byte WAITING = 1;
  private static final byte QUEUED = 2;
  private static final byte IGNORED = 3;
  private static final byte RESULT = 4;

  // hooks: what is to be called when the coroutine leaves the carrier, or enters it
  private static final byte HANDLED = 1; // it has switch handlers
  private static final byte WATCHED = 2; // an observer of the loop: at the next leave only
  private static final byte TRACED = 4; // a trace of the loop is being recorded

  // what is special when the coroutine becomes ready: one check for both
  private static final byte HIGH_PRIORITY = 1;
  private static final byte TRACED_AS_READY = 2;

  private static final byte NOTHING = 0;
  private static final byte VALUE = 1;
  private static final byte FAILURE = 2;
  private static final byte TOKEN = 3;
  private static final byte TIMED_OUT = 4;
  private static final byte INTERRUPTED = 5;

  // about a millisecond; an int of them wraps after 52 days
  private static final int COARSE_BITS = 20;

  private final Scheduler scheduler;

  // loop only
  byte status = NO_STATUS; // the scheduler writes it, too, where there is no stack for a call
  private byte outcome = NOTHING;
  private boolean arming;
  boolean started;
  private boolean cancellationPending;
  private byte hooks;
  private boolean handling; // runs one of them
  private boolean resumeDeferred; // while it ran one
  private byte whenReady;
  private @Nullable ExecutionContext context;
  private @Nullable Object carried; // in a wait: its result or error; else see payload()
  private int waitingSince; // start of a wait, also a foreign one: loop's clock, units of 2^20 ns

  protected Waker(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  // ---- implemented by the coroutine ----

  /// The exception to throw at this suspension point for a pending cancellation; null while the
  /// coroutine is shielded.
  protected abstract @Nullable Cancellation pollCancellation();

  /// Whether every suspension point throws from now on (forced cancellation).
  protected abstract boolean isForceCancelled();

  /// The JDK has parked the coroutine while a cancellation was pending.
  protected abstract void interruptForeignWait();

  /// Clears the interrupt flag that a cancellation has set on the coroutine's thread, and
  /// determines whether that interrupt has delivered the cancellation. Called by the coroutine
  /// itself.
  ///
  /// @return whether a cancellation had set the flag
  protected abstract boolean clearOwnInterrupt();

  /// Whether the coroutine is shielded: nothing from outside may end its waits now.
  protected abstract boolean isShielded();

  /// Ends a coroutine that was cancelled before its start.
  protected abstract void finishIgnored();

  /// Calls the coroutine's switch handlers, before it leaves and after it enters.
  protected abstract void onSwitch(boolean enter, boolean finishing);

  /// Name and number, for messages.
  public abstract String describe();

  // ---- views ----

  public final Scheduler scheduler() {
    return scheduler;
  }

  /// A slot for the coroutine while it cannot wait: before its start it holds the work, after its
  /// end the outcome. A wait uses the same slot, which saves eight bytes for each of the others.
  protected final @Nullable Object payload() {
    return carried;
  }

  /// Stores something for the coroutine, which must not wait as long as it needs that.
  protected final void setPayload(@Nullable Object kept) {
    carried = kept;
  }

  @Override
  public final @Nullable ExecutionContext context() {
    return context;
  }

  public final WakerStatus status() {
    return switch (status) {
      case NO_STATUS -> WakerStatus.NO_STATUS;
      case WAITING -> WakerStatus.WAITING;
      case QUEUED -> WakerStatus.QUEUED;
      case IGNORED -> WakerStatus.IGNORED;
      default -> WakerStatus.RESULT;
    };
  }

  public final boolean isStarted() {
    return started;
  }

  /// How long the coroutine has waited, on the loop or in the JDK: to about a millisecond, plus the
  /// time that the loop ran without reading the clock before the wait began.
  public final Duration waited() {
    return ofUnits(inUnits(scheduler.nanoTime()) - waitingSince);
  }

  /// When the last wait began, on the loop or in the JDK: on the loop's clock, in units of 2^20 ns;
  /// wraps.
  public final int waitingSince() {
    return waitingSince;
  }

  /// A time of the loop's clock in the units of [#waitingSince()].
  public static int inUnits(long nanoTime) {
    return (int) (nanoTime >>> COARSE_BITS);
  }

  /// So many of these units.
  public static Duration ofUnits(int units) {
    return Duration.ofNanos(Integer.toUnsignedLong(units) << COARSE_BITS);
  }

  /// The kind of outcome that has ended the wait, for dumps; null while the wait has not ended.
  public final @Nullable String wokenWith() {
    return switch (outcome) {
      case VALUE -> "a result";
      case FAILURE -> carried == null ? "a failure" : carried.getClass().getName();
      case TOKEN -> "its token fired";
      case TIMED_OUT -> "its deadline ran out";
      case INTERRUPTED -> "an interrupt";
      default -> null;
    };
  }

  /// The JDK has parked the coroutine: a foreign wait begins.
  final void parked() {
    waitingSince = inUnits(scheduler.coarseNanoTime());
    if (cancellationPending) {
      interruptForeignWait();
    }
    if (hooks != 0) {
      callWatch();
      if (hasSwitchHandlers() && context != null) {
        onForeignWait(context);
      }
      if (isTraced()) {
        traceLeave(true);
      }
    }
  }

  private void callWatch() {
    if ((hooks & WATCHED) != 0) {
      hooks &= ~WATCHED;
      onWatchedLeave();
    }
  }

  /// Has [#onWatchedLeave()] called when the coroutine leaves the carrier next.
  public final void watchNextLeave() {
    hooks |= WATCHED;
  }

  /// The coroutine leaves the carrier, to wait, to yield or because the JDK has parked it.
  protected void onWatchedLeave() {}

  /// Called on the trampoline when the JDK has parked a coroutine that has switch handlers.
  protected void onForeignWait(ExecutionContext on) {}

  /// Has the loop's [SwitchTrace] called of what the coroutine does, as long as there is one.
  public final void trace() {
    hooks |= TRACED;
    whenReady |= TRACED_AS_READY;
  }

  protected final boolean isTraced() {
    return (hooks & TRACED) != 0;
  }

  /// The trace of the loop, for a coroutine that is traced; null, and from now on it is not, when
  /// the recording has ended.
  protected final @Nullable SwitchTrace traceOrNone() {
    SwitchTrace trace = scheduler.trace();
    if (trace == null) {
      hooks &= ~TRACED;
      whenReady &= ~TRACED_AS_READY;
    }
    return trace;
  }

  private void traceLeave(boolean inTheJdk) {
    SwitchTrace trace = traceOrNone();
    if (trace != null) {
      trace.left(this, inTheJdk, status == QUEUED);
    }
  }

  private void traceEnter() {
    SwitchTrace trace = scheduler.entryTrace;
    if (trace != null) {
      trace.entered(this);
    }
  }

  /// Called when the coroutine is about to become ready, where [#isPlain()] is false.
  final void traceReady() {
    if (status == WAITING && (whenReady & TRACED_AS_READY) != 0) { // else it yields, or starts
      SwitchTrace trace = traceOrNone();
      if (trace != null) {
        trace.woken(this, wokenBy());
      }
    }
  }

  private SwitchTrace.WokenBy wokenBy() {
    return switch (outcome) {
      case VALUE, FAILURE -> SwitchTrace.WokenBy.EVENT;
      case TOKEN -> SwitchTrace.WokenBy.TOKEN;
      case TIMED_OUT -> SwitchTrace.WokenBy.DEADLINE;
      case INTERRUPTED -> SwitchTrace.WokenBy.INTERRUPT;
      default -> SwitchTrace.WokenBy.CANCELLATION;
    };
  }

  /// Gives the coroutine high priority from the next time that it is queued.
  public final void raisePriority() {
    whenReady |= HIGH_PRIORITY;
  }

  /// Whether it becomes ready by an entry in the normal lane, and nothing else.
  final boolean isPlain() {
    return whenReady == 0;
  }

  final boolean isHighPriority() {
    return (whenReady & HIGH_PRIORITY) != 0;
  }

  protected final void setHasSwitchHandlers(boolean on) {
    hooks = (byte) (on ? hooks | HANDLED : hooks & ~HANDLED);
  }

  private boolean hasSwitchHandlers() {
    return (hooks & HANDLED) != 0;
  }

  final void switchedOut() {
    if (hooks != 0) {
      callLeaveHooks();
    }
  }

  private void callLeaveHooks() {
    callWatch();
    if (hasSwitchHandlers()) {
      resumeDeferred = false;
      callSwitchHandlers(false, false);
      if (resumeDeferred && status == QUEUED) {
        scheduler.ready(this);
      }
    }
    if (isTraced()) {
      traceLeave(false);
    }
  }

  final void switchedIn() {
    if (hooks != 0) {
      callEnterHooks();
    }
  }

  private void callEnterHooks() {
    if (isTraced()) {
      traceEnter();
    }
    if (hasSwitchHandlers()) {
      try {
        callSwitchHandlers(true, false);
      } catch (Throwable e) {
        switchInFailed(e);
        throw e;
      }
    }
  }

  // the coroutine continues with that failure, not with the outcome of its wait
  private void switchInFailed(Throwable failure) {
    if (outcome != VALUE && carried instanceof Throwable lost) {
      FailureTable.merge(failure, lost);
    }
    abandonWait();
    disarmAll();
  }

  /// The coroutine did not suspend, because of `failure`. Its handlers have seen LEAVE, so they see
  /// ENTER.
  final void suspendFailed(Throwable failure) {
    abandonWait();
    disarmAll();
    SwitchTrace trace = isTraced() ? traceOrNone() : null;
    if (trace != null) {
      trace.stayed(this);
    }
    try {
      switchedIn();
    } catch (Throwable e) {
      FailureTable.merge(failure, e);
    }
  }

  private void callSwitchHandlers(boolean enter, boolean finishing) {
    handling = true;
    try {
      onSwitch(enter, finishing);
    } finally {
      handling = false;
    }
  }

  /// The coroutine's turn has come while the JDK has parked it in a LEAVE handler. It cannot be
  /// mounted, and is queued again when the handler has returned.
  final void deferResume() {
    resumeDeferred = true;
  }

  final IllegalStateException insideHandler() {
    return new IllegalStateException(
        describe() + " was asked to wait inside a switch handler; start a coroutine there instead");
  }

  protected final boolean isHandlingSwitch() {
    return handling;
  }

  // ---- preparing a wait ----

  /// The waker of the current coroutine. It was created with the coroutine, so this only looks it
  /// up.
  ///
  /// @param awaited the event to be awaited, for messages
  /// @throws IllegalStateException outside of coroutines
  static Waker define(EventSource awaited) {
    ExecutionContext context = ExecutionContext.current();
    if (context == null || !(context.occupant() instanceof Waker self)) {
      throw outside("a wait for " + awaited.info() + " was begun");
    }
    if (self.scheduler.hasEnded()) {
      throw new LoopEndedException(
          self.describe() + " outlived its loop, which has ended; nothing of Heddle works in it");
    }
    return self;
  }

  /// The exception of a call that only coroutines may make.
  ///
  /// @param what the call, as "Heddle.spawn was called"
  protected static IllegalStateException outside(String what) {
    Thread thread = Thread.currentThread();
    // between coroutines: a frame of the loop's own is below
    if (StackWalker.getInstance().walk(frames -> frames.anyMatch(Waker::isLoopFrame))) {
      return new IllegalStateException(
          what
              + " not inside a coroutine, but between coroutines, in code that the loop on thread '"
              + thread.getName()
              + "' runs itself (a Netty handler, for example), which must not wait; spawn a"
              + " coroutine for it, in a scope that was created earlier");
    }
    String instead =
        VirtualThreads.schedulerOf(thread) instanceof NonCoroutineThread body
            ? body.alternativeFor(thread)
            : null;
    if (instead != null) {
      return new IllegalStateException(what + " not inside a coroutine, but " + instead);
    }
    return new IllegalStateException(
        what
            + " on "
            + (thread.isVirtual()
                ? "virtual thread #" + thread.threadId()
                : "thread '" + thread.getName() + "'")
            + ", not inside a coroutine; wrap the code in Heddle.run(() -> ...), or, if a loop runs"
            + " already, hand it over: by Loop.submit(...), a RemotePromise or a trigger");
  }

  /// Whether the frame is the loop's own; the scheduler's other methods run on any thread.
  private static boolean isLoopFrame(StackWalker.StackFrame frame) {
    return frame.getMethodName().equals("run")
        && frame.getClassName().equals(Scheduler.class.getName());
  }

  /// Prepares a new wait, and drops subscriptions on which the coroutine never suspended.
  public final void renew() {
    if (status != NO_STATUS) {
      // before anything is dropped: the wait that called this switch handler may need it
      throw handling ? insideHandler() : illegal("renew");
    }
    if (hasSubscriptions()) {
      disarmAll();
    }
    outcome = NOTHING;
    carried = null;
  }

  /// Prepares a new wait that `deadline` ends with a [DeadlineException], and `token` with a
  /// [WaitCancelledException]. The caller subscribes the awaited event next; it takes precedence
  /// over both.
  ///
  /// @param token null: none
  public final void renewWithTimeout(Deadline deadline, @Nullable EventSource token) {
    renew();
    if (token != null) {
      token.checkHomeLoop(scheduler);
      bound(token, Role.CANCEL);
    }
    if (!deadline.isNever()) {
      bound(
          new TimerEvent(scheduler, scheduler.timers(), deadline.nanoTime(), false), Role.TIMEOUT);
    }
  }

  /// Subscribes for the coming suspension: the event's result or error wakes the coroutine.
  public final void resumeWhen(EventSource event) {
    resumeWhen(event, Role.RESOLVE);
  }

  /// Subscribes for the coming suspension. An event that is subscribed already keeps its role,
  /// unless it is now awaited.
  public final void resumeWhen(EventSource event, Role role) {
    event.checkHomeLoop(scheduler);
    subscribe(event, role);
  }

  // ---- transitions ----

  /// NO_STATUS → QUEUED: to be started, or to continue after the others.
  public final void enqueue() {
    if (status != NO_STATUS) {
      throw illegal("enqueue");
    }
    queue();
  }

  // the queue first: if the stack overflows in this call, the status has not changed
  private void queue() {
    scheduler.ready(this);
    status = QUEUED;
  }

  // ---- interrupts, by other threads or by the program itself ----

  /// Whether the coming wait ends before it begins, because the coroutine's thread was interrupted.
  final boolean hasInterrupt() {
    ExecutionContext on = context;
    return on != null && on.isInterrupted() && !clearOwnInterrupt() && !isShielded();
  }

  /// The exception of a wait that was not begun.
  final WaitCancelledException interruptedBeforeWait() {
    String inVain = describeAwaited();
    disarmAll();
    Thread.interrupted(); // this exception reports it
    return interruptedWait(inVain);
  }

  @Override
  public final void interrupted() {
    if (status == WAITING && !isShielded()) {
      wake(INTERRUPTED, null, null);
    }
  }

  private WaitCancelledException interruptedWait(String awaited) {
    return new WaitCancelledException(
        describe() + " stopped waiting for " + awaited + ": its thread was interrupted",
        new InterruptedException());
  }

  /// NO_STATUS → QUEUED, for a coroutine that only yields.
  final void beginYield() {
    clearOwnInterrupt();
    if (hasSubscriptions()) {
      disarmAll();
    }
    // under forced cancellation it yields first: a coroutine that retries must not hold the loop
    if (cancellationPending && !isForceCancelled()) {
      throwPendingCancellation();
    }
    enqueue();
  }

  /// QUEUED → NO_STATUS: only a cancellation can be delivered.
  final void endYield() {
    status = NO_STATUS;
    if (cancellationPending) {
      throwPendingCancellation();
    }
  }

  final boolean isQueued() {
    return status == QUEUED;
  }

  final boolean isIgnored() {
    return status == IGNORED;
  }

  /// NO_STATUS → WAITING, and arms one event after the other until one has fired.
  ///
  /// @return false when one has fired: WAITING → RESULT, no wait is needed
  final boolean beginWait() {
    if (status != NO_STATUS) {
      throw illegal("wait");
    }
    status = WAITING;
    waitingSince = inUnits(scheduler.coarseNanoTime());
    arming = true;
    arm();
    arming = false;
    return status == WAITING;
  }

  /// QUEUED → IGNORED: the coroutine will end without running.
  ///
  /// @return false when it has already started
  protected final boolean ignore() {
    if (started || status != QUEUED) {
      return false;
    }
    status = IGNORED;
    return true;
  }

  final void finaliseIgnored() {
    if (status != IGNORED) {
      throw illegal("finalise");
    }
    status = NO_STATUS;
    started = true;
    context = null;
    finishIgnored();
  }

  /// QUEUED → NO_STATUS: the first call on the coroutine's context.
  ///
  /// @return false when the coroutine was cancelled before it ran, and has been finished here: a
  ///   thread dump had refused its first mount, and it was cancelled before the second
  protected final boolean begin(ExecutionContext on) {
    if (status == IGNORED) {
      finaliseIgnored();
      return false;
    }
    if (status != QUEUED || started) {
      throw illegal("begin");
    }
    context = on;
    started = true;
    status = NO_STATUS;
    switchedIn();
    return true;
  }

  /// The last call on the coroutine's context.
  protected final void end() {
    if (hasSubscriptions()) {
      disarmAll();
    }
    try {
      if (hasSwitchHandlers()) {
        callSwitchHandlers(false, true);
      }
    } finally {
      context = null;
    }
  }

  /// Sets the context on which the coroutine starts. A coroutine without one gets a context of the
  /// pool when its turn comes.
  public final void mountOn(ExecutionContext on) {
    context = on;
  }

  /// WAITING or QUEUED → NO_STATUS: the coroutine did not suspend. Calls nothing, because the stack
  /// may have overflowed.
  final void abandonWait() {
    status = NO_STATUS;
  }

  public final void resolve(@Nullable Object value) {
    wake(VALUE, value, null);
  }

  public final void fail(Throwable failure) {
    wake(FAILURE, null, failure);
  }

  protected final void setCancellationPending(boolean pending) {
    cancellationPending = pending;
  }

  /// Whether a cancellation is to be thrown at the next suspension point.
  protected final boolean isCancellationPending() {
    return cancellationPending;
  }

  /// Wakes a waiting coroutine for a pending cancellation.
  ///
  /// @return false when the coroutine does not wait on the loop
  protected final boolean interruptWait() {
    if (status != WAITING) {
      return status == QUEUED;
    }
    queue();
    return true;
  }

  private void wake(byte kind, @Nullable Object value, @Nullable Throwable failure) {
    if (status != WAITING) {
      merge(kind, failure);
      return;
    }
    outcome = kind;
    carried = kind == VALUE ? value : failure;
    if (arming) {
      status = RESULT;
    } else {
      queue();
    }
  }

  /// Merges the outcome of another event of the same wait; ignores a late one.
  private void merge(byte kind, @Nullable Throwable failure) {
    if ((status != QUEUED && status != RESULT) || kind == VALUE) {
      return;
    }
    if (outcome == VALUE) {
      if (kind != FAILURE && hasFinalResult()) {
        return;
      }
      outcome = kind;
      carried = failure;
    } else if (outcome == FAILURE && carried instanceof Throwable earlier) {
      mergeFailures(earlier, kind, failure);
    }
  }

  private boolean hasFinalResult() {
    for (EventSource fired : triggeredEvents()) {
      if (fired.isFinal()) {
        return true;
      }
    }
    return false;
  }

  private void mergeFailures(Throwable earlier, byte kind, @Nullable Throwable later) {
    if (later == null || later instanceof Cancellation) {
      return;
    }
    if (kind == TOKEN && !(earlier instanceof Cancellation)) {
      FailureTable.merge(earlier, later);
      return;
    }
    outcome = kind;
    carried = later;
    if (!(earlier instanceof Cancellation)) {
      FailureTable.merge(later, earlier);
    }
  }

  @Override
  public final boolean accepts() {
    return status == WAITING;
  }

  @Override
  public final boolean acceptsFailure() {
    return status == WAITING
        || ((status == QUEUED || status == RESULT) && (outcome == VALUE || outcome == FAILURE));
  }

  @Override
  final boolean isWoken() {
    return outcome != NOTHING;
  }

  @Override
  final void wakeAs(byte role, @Nullable Object value, @Nullable Throwable failure) {
    if (role == Role.CANCEL.code) {
      wake(TOKEN, null, failure);
    } else if (role == Role.TIMEOUT.code) {
      wake(TIMED_OUT, null, null);
    } else if (failure != null) {
      wake(FAILURE, null, failure);
    } else {
      wake(VALUE, value, null);
    }
  }

  /// QUEUED or RESULT → NO_STATUS: returns or throws the outcome of the wait, in the coroutine.
  final @Nullable Object deliver() {
    if (status != QUEUED && status != RESULT) {
      throw illegal("deliver");
    }
    status = RESULT;
    EventSource taken =
        outcome == VALUE ? firedAs(Role.RESOLVE) : outcome == TOKEN ? firedAs(Role.CANCEL) : null;
    String inVain = outcome >= TOKEN ? describeAwaited() : "";
    boolean isFinal = cancellationPending && outcome == VALUE && hasFinalResult();
    disarmAll();
    status = NO_STATUS;
    byte kind = outcome;
    Object delivered = carried;
    Throwable failure = delivered instanceof Throwable t ? t : null;
    outcome = NOTHING;
    carried = null;
    if (kind == INTERRUPTED) {
      Thread.interrupted(); // the exception below reports it
    }
    if (cancellationPending
        && (kind == VALUE || failure == null || failure instanceof Cancellation)
        && !isFinal) {
      throwPendingCancellation();
    }
    if (taken != null) {
      taken.onConsumed();
    }
    return switch (kind) {
      case FAILURE ->
          throw failure == null
              ? new IllegalStateException("an event failed without an error")
              : Rethrow.unchecked(failure);
      case TOKEN ->
          throw new WaitCancelledException(
              describe() + " stopped waiting for " + inVain + ": its token fired", failure);
      case TIMED_OUT ->
          throw new DeadlineException(
              describe() + " stopped waiting for " + inVain + ": the deadline ran out");
      case INTERRUPTED -> throw interruptedWait(inVain);
      default -> delivered;
    };
  }

  final void throwPendingCancellation() {
    Cancellation cancellation = pollCancellation();
    if (cancellation != null) {
      throw cancellation;
    }
  }

  private IllegalStateException illegal(String transition) {
    return new IllegalStateException(
        "illegal transition of " + describe() + ": " + transition + " in status " + status());
  }
}
