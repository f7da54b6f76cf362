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
import dev.heddle.scheduler.context.Hosted;
import dev.heddle.scheduler.context.OtherBody;
import dev.heddle.scheduler.context.VirtualThreads;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The link between a coroutine and the events it waits for; embedded in the coroutine.
public abstract class Waker extends Subscriptions implements Hosted {
  /*
   * States.  from       event                                to         who
   *          NO_STATUS  enqueue() (spawn, yield)             QUEUED     spawner, or itself
   *          NO_STATUS  beginWait()                          WAITING    itself, in suspend, with subscriptions
   *          WAITING    an event fires while arming          RESULT     itself: the fast path, no switch, never queued
   *          WAITING    an event fires, or a cancellation    QUEUED     whoever notifies
   *          WAITING    interrupted()                        QUEUED     the loop: another thread has interrupted its thread
   *          QUEUED     another event fires                  QUEUED     recorded; merged by the rules below
   *          QUEUED     ignore(), not started                IGNORED    whoever cancels
   *          QUEUED     deliver()                            RESULT     itself, resumed
   *          QUEUED     begin()                              NO_STATUS  itself, started
   *          WAITING    abandonWait() (pinned, overflow)     NO_STATUS  itself: the wait did not happen
   *          QUEUED     abandonWait()                        NO_STATUS  itself
   *          RESULT     deliver()                            NO_STATUS  itself, before it throws or returns
   *          IGNORED    finalised by the scheduler           NO_STATUS  carrier; itself, in begin()
   * Everything else throws IllegalStateException naming both states. An event that fires at a waker in NO_STATUS is late: ignored.
   *
   * Merging, of what comes between the wake-up and the coroutine's turn. The first success wins; later ones are only recorded as
   * triggered. An error beats a result. Of two failures the newer one is thrown, and the older stands in its report, so that
   * neither is lost. A token or a deadline does not displace a failure (a token's own stands in its report), nor a failure them:
   * its event sees that nobody takes it. An interrupt counts as a token does. A cancellation (the tree's, or of what was awaited) displaces no failure, be it of what
   * was awaited or of a token: the tree's stays pending, and the next suspension throws it. It is thrown in place of all else.
   *
   * Threads. The loop's.
   *
   * I1. Between two waits there is no subscription: every started event is stopped exactly once. [WakerTest]
   * I2. Nothing is armed before the suspend. [WakerTest]
   * I3. A waker is in the ready queue exactly when it is QUEUED or IGNORED (an abandoned wait leaves a stale entry, which the
   *     scheduler drops; one whose turn comes while the JDK has parked it in a LEAVE handler misses it, and queues again after the
   *     handler). [WakerTest, SwitchHandlerTest]
   *
   * Rejected. An owner of each subscribed event: the last stop ends what an event holds, and the collector the rest (decision 0008).
   *
   * Sources. DESIGN 3.3; promises W1-W7, T8; traps 1, 5, 6, 9.
   */

  /// How a standard callback wakes the coroutine.
  public enum Role {
    /// With the event's result or error.
    RESOLVE(0),
    /// With a [WaitCancelledException] whose cause is the event's error, if any.
    CANCEL(1),
    /// With a [DeadlineException].
    TIMEOUT(2);

    final byte code;

    Role(int code) {
      this.code = (byte) code;
    }
  }

  static final byte NO_STATUS = 0;
  private static final byte WAITING = 1;
  private static final byte QUEUED = 2;
  private static final byte IGNORED = 3;
  private static final byte RESULT = 4;

  private static final byte NOTHING = 0;
  private static final byte VALUE = 1;
  private static final byte FAILURE = 2;
  private static final byte TOKEN = 3;
  private static final byte TIMED_OUT = 4;
  private static final byte INTERRUPTED = 5;

  // about a millisecond; an int of them wraps after 52 days
  private static final int COARSE_BITS = 20;

  // loop only
  byte status =
      NO_STATUS; // also the scheduler's, where the stack has ended and nothing can be called
  private byte outcome = NOTHING;
  private boolean arming;
  boolean started;
  private boolean cancellationPending;
  private boolean watched; // has switch handlers
  private boolean handling; // runs one of them
  private boolean missedTurn; // meanwhile
  private boolean highPriority;
  private @Nullable ExecutionContext context;
  private @Nullable Object
      carried; // while it waits: the outcome's result or error; else the coroutine's

  private int waitingSince; // of a wait, or of a foreign one: scheduler's clock, units of 2^20 ns

  /// A waker that is not queued.
  protected Waker(Scheduler scheduler) {
    super(scheduler);
  }

  // ---- what the coroutine adds ----

  /// What to throw at this suspension point for a cancellation that is pending; null when it is
  /// shielded.
  protected abstract @Nullable Cancellation takeCancellation();

  /// Whether every suspension point throws from now on.
  protected abstract boolean isCancelledForGood();

  /// The JDK has parked it while a cancellation was pending.
  protected abstract void interruptForeignWait();

  /// Clears the flag that an interrupt for the sake of a cancellation has left on its thread, and
  /// finds out whether that interrupt has delivered it. By the coroutine itself.
  ///
  /// @return whether the flag was set by one
  protected abstract boolean clearOwnInterrupt();

  /// Whether nothing from outside is to end its waits now.
  protected abstract boolean isShielded();

  /// Ends a coroutine that was cancelled before its start.
  protected abstract void finishIgnored();

  /// The switch handlers of this coroutine, before it leaves and after it enters.
  protected abstract void onSwitch(boolean enter, boolean finishing);

  /// Name and number, for errors.
  public abstract String describe();

  // ---- views ----

  /// The loop's scheduler.
  public final Scheduler scheduler() {
    return scheduler;
  }

  /// What the coroutine keeps here while it cannot wait: before its start the work, after its end
  /// the outcome. A wait needs the place for itself; one slot for all three saves eight bytes each.
  protected final @Nullable Object carried() {
    return carried;
  }

  /// Keeps something for the coroutine; it must not wait as long as it is needed.
  protected final void carry(@Nullable Object kept) {
    carried = kept;
  }

  /// The stack it runs on, once it has started.
  public final @Nullable ExecutionContext context() {
    return context;
  }

  /// Where it stands.
  public final WakerStatus status() {
    return switch (status) {
      case NO_STATUS -> WakerStatus.NO_STATUS;
      case WAITING -> WakerStatus.WAITING;
      case QUEUED -> WakerStatus.QUEUED;
      case IGNORED -> WakerStatus.IGNORED;
      default -> WakerStatus.RESULT;
    };
  }

  /// Whether it has begun to run.
  public final boolean isStarted() {
    return started;
  }

  /// How long it has waited, on the loop or in the JDK: to about a millisecond, and longer by what
  /// the loop was held without a look at the clock before it began.
  public final Duration waited() {
    int units = (int) (scheduler.nanoTime() >>> COARSE_BITS) - waitingSince;
    return Duration.ofNanos(Integer.toUnsignedLong(units) << COARSE_BITS);
  }

  /// What its wait has ended with, by kind; null while it has not, for dumps.
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

  /// The JDK has parked it: a foreign wait begins.
  final void parked() {
    waitingSince = (int) (scheduler.coarseNanoTime() >>> COARSE_BITS);
    if (cancellationPending) {
      interruptForeignWait();
    }
    if (watched && context != null) {
      onForeignWait(context);
    }
  }

  /// The JDK has parked it, and it asked to be told of switches. On the trampoline.
  protected void onForeignWait(ExecutionContext on) {}

  /// Goes before all of normal priority from the next time it is queued.
  public final void raisePriority() {
    highPriority = true;
  }

  /// Whether it goes before others.
  public final boolean isHighPriority() {
    return highPriority;
  }

  /// Tells the scheduler whether this coroutine has switch handlers.
  protected final void watch(boolean on) {
    watched = on;
  }

  final void left() {
    if (watched) {
      missedTurn = false;
      handle(false, false);
      if (missedTurn && status == QUEUED) {
        scheduler.ready(this);
      }
    }
  }

  final void entered() {
    if (watched) {
      try {
        handle(true, false);
      } catch (Throwable e) {
        failedToEnter(e);
        throw e;
      }
    }
  }

  // it goes on with that failure, and not with the outcome of its wait
  private void failedToEnter(Throwable failure) {
    if (outcome != VALUE && carried instanceof Throwable lost) {
      FailureTable.merge(failure, lost);
    }
    abandonWait();
    drop();
  }

  /// A suspension that did not take place, because of `failure`: whoever has seen LEAVE sees ENTER.
  final void stayed(Throwable failure) {
    abandonWait();
    drop();
    try {
      entered();
    } catch (Throwable e) {
      FailureTable.merge(failure, e);
    }
  }

  private void handle(boolean enter, boolean finishing) {
    handling = true;
    try {
      onSwitch(enter, finishing);
    } finally {
      handling = false;
    }
  }

  /// Its turn has come while the JDK has parked it in a LEAVE handler: it cannot be mounted, and
  /// queues again when the handler has returned.
  final void missTurn() {
    missedTurn = true;
  }

  final IllegalStateException insideAHandler() {
    return new IllegalStateException(
        describe() + " was asked to wait inside a switch handler; start a coroutine there instead");
  }

  /// Whether one of its switch handlers runs.
  protected final boolean isHandlingSwitch() {
    return handling;
  }

  // ---- a wait, as the coroutine prepares it ----

  /// The waker of the coroutine that runs. It is made with the coroutine, and never again.
  ///
  /// @param awaited what it is about to wait for, for errors
  /// @throws IllegalStateException outside of coroutines
  static Waker define(EventSource awaited) {
    ExecutionContext context = ExecutionContext.current();
    if (context == null || !(context.guest() instanceof Waker self)) {
      throw outside("a wait for " + awaited.info() + " was begun");
    }
    if (self.scheduler.hasEnded()) {
      throw new LoopEndedException(
          self.describe() + " outlived its loop, which has ended; nothing of Heddle works in it");
    }
    return self;
  }

  /// The error of a call that only coroutines may make.
  ///
  /// @param what was done, as "Heddle.spawn was called"
  protected static IllegalStateException outside(String what) {
    Thread thread = Thread.currentThread();
    if (isBetweenCoroutines()) {
      return new IllegalStateException(
          what
              + " not inside a coroutine, but between coroutines, in what the loop on thread '"
              + thread.getName()
              + "' itself runs (a handler of Netty's, say); nothing waits there: spawn a coroutine"
              + " for it, by a scope that was taken along");
    }
    String instead =
        VirtualThreads.schedulerOf(thread) instanceof OtherBody body
            ? body.insteadOn(thread)
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

  private static boolean isBetweenCoroutines() {
    return StackWalker.getInstance().walk(frames -> frames.anyMatch(Waker::isTheLoop));
  }

  /// Whether it is the loop's own iteration: other calls of the scheduler are made on any thread.
  private static boolean isTheLoop(StackWalker.StackFrame frame) {
    return frame.getMethodName().equals("run")
        && frame.getClassName().equals(Scheduler.class.getName());
  }

  /// Prepares a new wait: what was subscribed and never suspended on is dropped.
  public final void renew() {
    if (status != NO_STATUS) {
      // before anything is dropped: it may be what the wait around a switch handler waits for
      throw handling ? insideAHandler() : illegal("renew");
    }
    if (hasSubscriptions()) {
      drop();
    }
    outcome = NOTHING;
    carried = null;
  }

  /// Prepares a new wait that `deadline` ends with a [DeadlineException], and `token` with a
  /// [WaitCancelledException]. What is waited for is to be subscribed next; it counts before both.
  ///
  /// @param token null: none
  public final void renewWithTimeout(Deadline deadline, @Nullable EventSource token) {
    renew();
    if (token != null) {
      bound(token, Role.CANCEL);
    }
    if (!deadline.isNever()) {
      bound(
          new TimerEvent(scheduler, scheduler.timers(), deadline.nanoTime(), false), Role.TIMEOUT);
    }
  }

  // ---- transitions ----

  /// NO_STATUS → QUEUED: to be started, or to go on after the others.
  public final void enqueue() {
    if (status != NO_STATUS) {
      throw illegal("enqueue");
    }
    queue();
  }

  // the ring first: if the stack ends at this call, nothing has changed
  private void queue() {
    scheduler.ready(this);
    status = QUEUED;
  }

  // ---- interrupts by other threads, and by the program itself ----

  /// Whether the wait that it is about to begin is over before it begins: its thread was
  /// interrupted.
  final boolean hasInterrupt() {
    ExecutionContext on = context;
    return on != null && on.isInterrupted() && !clearOwnInterrupt() && !isShielded();
  }

  /// The end of a wait that was not begun.
  final WaitCancelledException interruptedBeforeWait() {
    String inVain = awaitedInWords();
    drop();
    Thread.interrupted(); // felt
    return interruptedInVain(inVain);
  }

  @Override
  public final void interrupted() {
    if (status == WAITING && !isShielded()) {
      wake(INTERRUPTED, null, null);
    }
  }

  private WaitCancelledException interruptedInVain(String awaited) {
    return new WaitCancelledException(
        describe() + " stopped waiting for " + awaited + ": its thread was interrupted",
        new InterruptedException());
  }

  /// NO_STATUS → QUEUED, for a coroutine that only lets the others run.
  final void beginYield() {
    clearOwnInterrupt();
    if (hasSubscriptions()) {
      drop();
    }
    // one that is cancelled for good yields first: retrying for ever, it must not hold the loop
    if (cancellationPending && !isCancelledForGood()) {
      throwPendingCancellation();
    }
    enqueue();
  }

  /// QUEUED → NO_STATUS: nothing to deliver but a cancellation.
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
  /// @return false when one has fired: WAITING → RESULT, nothing to wait for
  final boolean beginWait() {
    if (status != NO_STATUS) {
      throw illegal("wait");
    }
    status = WAITING;
    waitingSince = (int) (scheduler.coarseNanoTime() >>> COARSE_BITS);
    arming = true;
    arm();
    arming = false;
    return status == WAITING;
  }

  /// QUEUED → IGNORED: it will be finished without running.
  ///
  /// @return false when it has started already
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

  /// QUEUED → NO_STATUS: the first instruction on its context.
  ///
  /// @return false when it was ignored after all, and has been finished: its mount had met a thread
  ///   dump, and it was cancelled before the next one
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
    entered();
    return true;
  }

  /// The last instruction on its context.
  protected final void end() {
    if (hasSubscriptions()) {
      drop();
    }
    try {
      if (watched) {
        handle(false, true);
      }
    } finally {
      context = null;
    }
  }

  /// Chooses the context on which it starts. One that has none when its turn comes gets one of the
  /// pool's.
  public final void mountOn(ExecutionContext on) {
    context = on;
  }

  /// WAITING or QUEUED → NO_STATUS: the suspension did not take place. Calls nothing, for the stack
  /// may have ended.
  final void abandonWait() {
    status = NO_STATUS;
  }

  /// Wakes it with a result.
  public final void resolve(@Nullable Object value) {
    wake(VALUE, value, null);
  }

  /// Wakes it with an error.
  public final void fail(Throwable failure) {
    wake(FAILURE, null, failure);
  }

  /// A cancellation became pending, or is no longer.
  protected final void setCancellationPending(boolean pending) {
    cancellationPending = pending;
  }

  /// Whether a cancellation is to be thrown at the next suspension point.
  protected final boolean isCancellationPending() {
    return cancellationPending;
  }

  /// Wakes a waiting coroutine for the sake of a pending cancellation.
  ///
  /// @return false when it does not wait on the loop
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

  /// Another event of the same wait, or one that is late.
  private void merge(byte kind, @Nullable Throwable failure) {
    if ((status != QUEUED && status != RESULT) || kind == VALUE) {
      return;
    }
    if (outcome == VALUE) {
      outcome = kind;
      carried = failure;
    } else if (outcome == FAILURE && carried instanceof Throwable earlier) {
      mergeFailures(earlier, kind, failure);
    }
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
  public final boolean takes() {
    return status == WAITING;
  }

  @Override
  public final boolean takesFailure() {
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

  /// QUEUED or RESULT → NO_STATUS: hands the outcome of the wait to the coroutine, which runs
  /// again.
  final @Nullable Object deliver() {
    if (status != QUEUED && status != RESULT) {
      throw illegal("deliver");
    }
    status = RESULT;
    EventSource taken =
        outcome == VALUE ? firedAs(Role.RESOLVE) : outcome == TOKEN ? firedAs(Role.CANCEL) : null;
    String inVain = outcome >= TOKEN ? awaitedInWords() : "";
    drop();
    status = NO_STATUS;
    byte kind = outcome;
    Object delivered = carried;
    Throwable failure = delivered instanceof Throwable t ? t : null;
    outcome = NOTHING;
    carried = null;
    if (kind == INTERRUPTED) {
      Thread.interrupted(); // this wait has felt it
    }
    if (cancellationPending
        && (kind == VALUE || failure == null || failure instanceof Cancellation)) {
      throwPendingCancellation();
    }
    if (taken != null) {
      taken.taken();
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
      case INTERRUPTED -> throw interruptedInVain(inVain);
      default -> delivered;
    };
  }

  final void throwPendingCancellation() {
    Cancellation cancellation = takeCancellation();
    if (cancellation != null) {
      throw cancellation;
    }
  }

  private IllegalStateException illegal(String transition) {
    return new IllegalStateException(
        "illegal transition of " + describe() + ": " + transition + " in status " + status());
  }
}
