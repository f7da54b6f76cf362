// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import dev.heddle.internal.StackGuard;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.SwitchTrace;
import dev.heddle.scheduler.Waker;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ForeignWaits;
import dev.heddle.scheduler.context.VirtualThreads;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The cancellation of a coroutine: its regions, its shields, and how a request is delivered.
///
/// Inheritance instead of composition, on purpose: Subscriptions, Waker, CancellableCoroutine and
/// CoroutineNode are one object. A further object would cost every parked coroutine a header and
/// every switch an indirection. State that most coroutines never need is in [ColdState].
///
/// The protocol is described in [CancelRegion].
public abstract class CancellableCoroutine extends Waker {
  private static final String IGNORED_CANCELLATION = ", but the body continued to its end";
  private static final Duration INTERRUPT_PAUSE = Duration.ofMillis(10); // between two waits

  // loop only; null: never cancelled, shielded or observed, and no scope opened
  private @Nullable ColdState coldState;

  CancellableCoroutine(Scheduler scheduler) {
    super(scheduler);
  }

  public abstract CoroutineTree tree();

  final @Nullable ColdState coldStateOrNull() {
    return coldState;
  }

  final ColdState coldState() {
    ColdState r = coldState;
    if (r == null) {
      r = new ColdState();
      coldState = r;
    }
    return r;
  }

  public abstract boolean isDone();

  abstract boolean isCancellable();

  // ---- being cancelled ----

  public void cancel(String why) {
    cancel(new Cancellation(Objects.requireNonNull(why, "why")));
  }

  /// Cancels it; the first cancellation counts.
  public void cancel(Cancellation c) {
    Objects.requireNonNull(c, "cancellation");
    if (isDone()) {
      return;
    }
    scheduler().checkOnLoop();
    StackGuard.requireRoom();
    if (isCancellable() && whole().request(c) && maySkipBody()) {
      ignore();
    }
    CancelRegion whole = own();
    ScopeNode outermost = whole == null ? null : outermostInside(whole);
    if (outermost != null) {
      outermost.cancelMembers(c);
    }
  }

  boolean isWhole(CancelRegion region) {
    return region == own();
  }

  /// Cancels the members of the scopes that were opened inside a region, with the region's own
  /// cancellation, so that the region recognises it if a member's await throws it back.
  void cancelInside(CancelRegion region) {
    ScopeNode outermost = outermostInside(region);
    if (outermost != null) {
      outermost.cancelMembers(region.cancellation());
    }
  }

  private @Nullable ScopeNode outermostInside(CancelRegion region) {
    boolean whole = isWhole(region);
    ScopeNode outermost = null;
    for (ScopeNode s = ownBlock(); s != null; s = s.outerBlock()) {
      if ((whole || s.isInside(region)) && s.links.shields <= region.shields) {
        outermost = s; // its cancellation reaches the inner ones
      }
    }
    return outermost;
  }

  void cancelShared(Cancellation shared) {
    if (isCancellable() && whole().requestShared(shared) && maySkipBody()) {
      ignore();
    }
  }

  private CancelRegion whole() {
    ColdState r = coldState();
    CancelRegion own = r.own;
    if (own == null) {
      own = new CancelRegion(this, null, 0);
      r.own = own;
    }
    return own;
  }

  abstract boolean maySkipBody();

  /// Called at the shutdown deadline: from now on every suspension throws, despite shields.
  public void forceCancel() {
    cancelShared(new Cancellation("the loop's shutdown deadline is over"));
    CancelRegion whole = own();
    if (whole != null) {
      whole.force();
    }
    recheckCancellation();
  }

  public boolean isCancelled() {
    CancelRegion whole = own();
    return whole != null && whole.wasRequested();
  }

  private @Nullable CancelRegion own() {
    return coldState == null ? null : coldState.own;
  }

  /// The cancellation that is the outcome of a body that threw `thrown`; null if it was not
  /// cancelled, or failed with another throwable.
  @Nullable Cancellation endedBy(@Nullable Throwable thrown) {
    CancelRegion whole = own();
    return whole != null && whole.endsAsCancelled(thrown) ? whole.cancellation() : null;
  }

  void closeWhole() {
    CancelRegion whole = own();
    if (whole != null) {
      whole.close();
    }
  }

  // ---- delivery ----

  void cancellationRequested() {
    SwitchTrace trace = isTraced() ? traceOrNone() : null;
    if (trace != null) {
      trace.cancelled(this);
    }
    ColdState r = coldState();
    r.undelivered++;
    endInterruptPause();
    recheckCancellation();
  }

  void cancellationDelivered() {
    coldState().undelivered--;
    endInterruptPause();
    updatePending();
  }

  /// Called when an outer region has delivered its request: the inner ones unwind with it.
  void supersedeInside(CancelRegion outer) {
    for (CancelRegion r = coldState().innermost; r != null && r != outer; r = r.outer) {
      r.supersede();
    }
  }

  /// Called when a delivered cancellation was ignored for the grace period: every further wait
  /// throws.
  void gracePeriodEnded(Cancellation unheeded) {
    tree().host().gracePeriodEnded(this, unheeded);
  }

  /// Called when a failure superseded a cancellation that the owner of a scope met, so no code saw
  /// it: it is delivered again at the next suspension.
  ///
  /// @param met the cancellation that the owner met
  /// @param thrown the throwable that the scope threw
  public void postpone(@Nullable Throwable met, @Nullable Throwable thrown) {
    if (met == null || met == thrown) {
      return;
    }
    ColdState r = coldState();
    if (r.own != null) {
      r.own.undeliver(met);
    }
    for (CancelRegion region = r.innermost; region != null; region = region.outer) {
      region.undeliver(met);
    }
  }

  private void updatePending() {
    ColdState r = coldState;
    setCancellationPending(r != null && r.undelivered > 0 && deliverable(r) != null);
  }

  /// The outermost region that may deliver here, since it unwinds the most.
  private @Nullable CancelRegion deliverable(ColdState r) {
    int shieldsHere = tree().isPastDeadline() ? 0 : r.shieldDepth;
    if (r.own != null && r.own.delivers(shieldsHere)) {
      return r.own;
    }
    CancelRegion outermost = null;
    for (CancelRegion region = r.innermost; region != null; region = region.outer) {
      if (region.delivers(shieldsHere)) {
        outermost = region;
      }
    }
    return outermost;
  }

  private @Nullable CancelRegion deliverable() {
    return coldState == null ? null : deliverable(coldState);
  }

  /// Makes a waiting coroutine notice a pending request.
  void recheckCancellation() {
    updatePending();
    if (!isCancellationPending() || interruptWait() || !isStarted() || isDone()) {
      return;
    }
    if (context() != ExecutionContext.current()) {
      interruptForeignWait();
    }
  }

  // Runs on the trampoline, where no coroutine is mounted. A coroutine that the JDK has unparked by
  // then comes here again when it parks again.
  @Override
  protected void interruptForeignWait() {
    ExecutionContext context = context();
    ColdState r = coldState();
    if (context == null
        || !context.isActive()
        || r.interruptPending
        || r.interruptPause != null
        || r.uninterruptibleDepth > 0) {
      return;
    }
    r.interruptPending = true;
    scheduler().runOnCarrier(() -> endForeignWait(context, r));
  }

  private void endForeignWait(ExecutionContext parkedOn, ColdState r) {
    r.interruptPending = false;
    if (context() != parkedOn || scheduler().hasEnded() || !parkedOn.isParked()) {
      return;
    }
    if (r.interruptEnd != ForeignWaits.End.STILL_WAITING && !parkedOn.isInterruptible()) {
      return; // lock() hides the flag until it is acquired; only then can the flag be judged
    }
    decideAmbiguous(r, parkedOn.thread().isInterrupted());
    CancelRegion region = deliverable();
    if (region == null || r.uninterruptibleDepth > 0) {
      return;
    }
    ForeignWaits.End end = parkedOn.endForeignWait();
    if (end == ForeignWaits.End.STILL_WAITING) {
      return;
    }
    r.interruptSent = true;
    r.interruptEnd = end;
    region.interruptSent(r.interruptedFor);
    r.interruptedFor = region;
    if (region.isForced()) {
      pauseInterrupts(r);
    }
    if (end == ForeignWaits.End.BY_INTERRUPT || end == ForeignWaits.End.AMBIGUOUS) {
      // before any other coroutine runs: if one ended the wait now, the wait would return normally
      // and what it returned would be lost
      boolean ran = scheduler().resumeNow(parkedOn);
      if (!ran && r.interruptEnd == ForeignWaits.End.BY_INTERRUPT) {
        r.interruptEnd = parkedOn.afterInterrupt();
      }
    }
  }

  /// Whether it runs with the flag set, after a wait that another thread may have ended by handing
  /// over an item.
  private boolean isInterruptAmbiguous() {
    return coldState != null
        && coldState.interruptEnd == ForeignWaits.End.AMBIGUOUS
        && Thread.currentThread().isInterrupted();
  }

  // Decides as late as possible: until the coroutine has run, another thread may end the
  // interrupted wait. UNDECIDED: another thread probably ended it, so the interrupt was noticed
  // only if the flag is clear. AMBIGUOUS: probably none did, and a library restored the flag.
  private void decideAmbiguous(ColdState r, boolean flag) {
    ForeignWaits.End end = r.interruptEnd;
    r.interruptEnd = ForeignWaits.End.STILL_WAITING;
    if (wasNoticed(end, flag) && r.interruptedFor != null) {
      r.interruptedFor.interrupted();
    }
  }

  private static boolean wasNoticed(ForeignWaits.End end, boolean flag) {
    return end == ForeignWaits.End.UNDECIDED ? !flag : end != ForeignWaits.End.STILL_WAITING;
  }

  // otherwise a wait that is retried in a loop would be parked and unparked without end
  private void pauseInterrupts(ColdState r) {
    TimerEvent pause = tree().daemonTimer(INTERRUPT_PAUSE);
    pause.subscribe(new InterruptAgain());
    pause.start();
    r.interruptPause = pause;
  }

  private void endInterruptPause() {
    ColdState r = coldState;
    if (r != null && r.interruptPause != null) {
      r.interruptPause.stop();
      r.interruptPause = null;
    }
  }

  private final class InterruptAgain implements InlineCallback {
    @Override
    public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
      if (event == coldState().interruptPause) {
        endInterruptPause();
        recheckCancellation();
      }
    }
  }

  @Override
  protected boolean clearOwnInterrupt() {
    ColdState r = coldState;
    if (r == null || !(r.interruptSent || r.interruptedFor != null)) {
      return false;
    }
    VirtualThreads.repairState();
    if (isInterruptAmbiguous() && r.interruptedFor != null) {
      r.interruptedFor.markMayHaveResult(); // the flag that would show it is cleared below
    }
    boolean flag = Thread.interrupted();
    decideAmbiguous(r, flag);
    r.interruptSent = false;
    return flag;
  }

  @Override
  protected boolean isShielded() {
    return shields() > 0;
  }

  /// Whether its last interrupt was for a region around `inner` that has not been left since.
  boolean wasInterruptedOutside(CancelRegion inner) {
    CancelRegion last = coldState == null ? null : coldState.interruptedFor;
    return last != null && last != inner && (isWhole(last) || inner.isInside(last));
  }

  @Override
  protected @Nullable Cancellation pollCancellation() {
    clearOwnInterrupt();
    CancelRegion region = deliverable();
    return region == null ? null : region.deliver();
  }

  @Override
  protected boolean isForceCancelled() {
    CancelRegion region = deliverable();
    return region != null && region.isForced();
  }

  /// Throws a pending cancellation, also one that only a tick would discover: an expired deadline,
  /// a request of another thread. Else the cancellation that an interrupt has delivered, if it was
  /// not claimed yet.
  public void checkCancelled() {
    if (!isCancellationPending()) {
      scheduler().tickWhileComputing();
    }
    throwPending();
    Cancellation delivered = coldState == null ? null : claimInterrupt();
    if (delivered != null) {
      throw delivered;
    }
  }

  /// Whether a call is cancelled, whatever has become of the cancellation: by a request since it
  /// began, by one that it found undelivered, or since every wait throws now. A call in a clean-up
  /// is not cancelled by the request that led to the clean-up.
  ///
  /// @param deliveredBefore what [#deliveredBlocks()] returned as the call began
  public final boolean isCancelledSince(int deliveredBefore) {
    ColdState r = coldState;
    return r != null && (cancelledBlocks(r) > deliveredBefore || isForceCancelled());
  }

  // its whole body is a block; those around a shield that its code is in do not count
  private static int cancelledBlocks(ColdState r) {
    CancelRegion whole = r.own;
    int cancelled = whole != null && whole.isRequestedAt(r.shieldDepth) ? 1 : 0;
    for (CancelRegion region = r.innermost; region != null; region = region.outer) {
      cancelled += region.isRequestedAt(r.shieldDepth) ? 1 : 0;
    }
    return cancelled;
  }

  /// In how many cancelled blocks its current code is a clean-up: their cancellation has been
  /// delivered. For [#isCancelledSince].
  public final int deliveredBlocks() {
    ColdState r = coldState;
    if (r == null) {
      return 0;
    }
    // an interrupt delivers to its region and those inside, although they learn it only later
    boolean interrupted =
        r.interruptedFor != null
            && wasNoticed(r.interruptEnd, Thread.currentThread().isInterrupted());
    int delivered = 0;
    for (CancelRegion region = r.innermost; region != null; region = region.outer) {
      delivered += region.isDeliveredAt(r.shieldDepth, interrupted) ? 1 : 0;
      interrupted &= region != r.interruptedFor;
    }
    CancelRegion whole = r.own;
    return delivered + (whole != null && whole.isDeliveredAt(r.shieldDepth, interrupted) ? 1 : 0);
  }

  final void throwPending() {
    Cancellation c = isCancellationPending() ? pollCancellation() : null;
    if (c != null) {
      throw c;
    }
  }

  private @Nullable Cancellation claimInterrupt() {
    clearOwnInterrupt();
    Cancellation found = null;
    CancelRegion last = coldState().interruptedFor;
    while (found == null && last != null) {
      found = last.claimInterrupt(shields());
      last = last.interruptedBefore;
    }
    return found;
  }

  // ---- regions and shields ----

  CancelRegion openRegion() {
    VirtualThreads.repairState();
    if (!isInterruptAmbiguous()) { // else a wait in the JDK must find the flag
      clearOwnInterrupt();
    }
    ColdState r = coldState();
    CancelRegion region = new CancelRegion(this, r.innermost, r.shieldDepth);
    r.innermost = region;
    return region;
  }

  void closeRegion(CancelRegion region) {
    VirtualThreads.repairState();
    ColdState r = coldState();
    if (isInterruptAmbiguous()) {
      region.markMayHaveResult();
    }
    if (!isInterruptAmbiguous()
        || r.interruptedFor == region) { // else the outer region must find it
      clearOwnInterrupt(); // before it closes: its delivery may be undecided
    }
    region.close();
    r.innermost = region.outer;
    CancelRegion last = r.interruptedFor;
    while (last != null && last.isClosed()) {
      last = last.interruptedBefore;
    }
    r.interruptedFor = last;
  }

  @Nullable CancelRegion innermostRegion() {
    return coldState == null ? null : coldState.innermost;
  }

  public int shields() {
    return coldState == null ? 0 : coldState.shieldDepth;
  }

  void enterShield() {
    coldState().shieldDepth++;
    updatePending();
  }

  void exitShield() {
    coldState().shieldDepth--;
    updatePending();
  }

  /// Runs `body`; cancellations from outside wait until it has ended.
  public <R extends @Nullable Object> R shielded(Body<R> body) throws Exception {
    Objects.requireNonNull(body, "body");
    StackGuard.requireRoom();
    VirtualThreads.repairState();
    clearOwnInterrupt();
    enterShield();
    R result;
    try {
      result = body.run();
    } finally {
      exitShield();
    }
    throwPending();
    return result;
  }

  public <R extends @Nullable Object> R withTimeout(Duration limit, Body<R> body) throws Exception {
    Objects.requireNonNull(body, "body");
    StackGuard.requireRoom();
    String over = "withTimeout(" + limit + ") expired";
    return withDeadline(Deadline.after(limit).nanoTime(), over, body);
  }

  public <R extends @Nullable Object> R withDeadline(Deadline deadline, Body<R> body)
      throws Exception {
    Objects.requireNonNull(body, "body");
    StackGuard.requireRoom();
    return deadline.isNever()
        ? body.run()
        : withDeadline(deadline.nanoTime(), "withDeadline(deadline) expired", body);
  }

  private <R extends @Nullable Object> R withDeadline(long nanoTime, String over, Body<R> body)
      throws Exception {
    CancelRegion region = openRegion();
    region.bound(tree().timer(nanoTime), over);
    R result;
    try {
      result = body.run();
    } catch (Throwable thrown) {
      if (region.explains(thrown)) {
        throw Rethrow.unchecked(
            carriedOr(
                region, thrown, () -> new DeadlineException(describe() + ": " + over, thrown)));
      }
      throw thrown;
    } finally {
      closeRegion(region);
    }
    if (region.wasCancelled(result)) {
      throw new DeadlineException(describe() + ": " + over + IGNORED_CANCELLATION);
    }
    return result;
  }

  public <R extends @Nullable Object> R cancelWhen(EventSource token, Body<R> body)
      throws Exception {
    Objects.requireNonNull(body, "body");
    StackGuard.requireRoom();
    token.checkHomeLoop(scheduler());
    CancelRegion region = openRegion();
    R result;
    try {
      region.bound(token, "the token of cancelWhen(token) fired");
      result = body.run();
    } catch (Throwable thrown) {
      Throwable failure = region.cause();
      Throwable ended =
          !region.overrides(thrown)
              ? thrown
              : carriedOr(
                  region,
                  thrown,
                  () ->
                      new WaitCancelledException(
                          describe() + ": the token of cancelWhen(token) fired", failure));
      if (failure != null && region.hasFailed() && ended.getCause() != failure) {
        FailureTable.merge(ended, failure);
      }
      throw Rethrow.unchecked(ended);
    } finally {
      closeRegion(region);
    }
    if (region.wasCancelled(result)) {
      throw new WaitCancelledException(
          describe() + ": the token of cancelWhen(token) fired" + IGNORED_CANCELLATION,
          region.cause());
    }
    if (region.hasFailed()) {
      tree()
          .host()
          .report("the token of cancelWhen(token) failed, and the body continued", region.cause());
    }
    return result;
  }

  // a failed close() in try-with-resources counts as the block's failure, as a failure in `finally`
  // does
  private static Throwable carriedOr(CancelRegion of, Throwable cut, Supplier<Throwable> end) {
    Throwable carried = Precedence.carriedBy(cut, of.cancellation());
    return carried == null ? end.get() : carried;
  }

  /// Runs `body`; cancellations do not interrupt its waits in the JDK.
  public <R extends @Nullable Object> R uninterruptibly(Body<R> body) throws Exception {
    Objects.requireNonNull(body, "body");
    StackGuard.requireRoom();
    clearOwnInterrupt();
    coldState().uninterruptibleDepth++;
    try {
      return body.run();
    } finally {
      coldState().uninterruptibleDepth--;
    }
  }

  /// Ends a coroutine that works for this one: cancels it and waits, in any case, until it has
  /// ended. Its failure has no observer left, and is reported.
  public final void cancelAndAwait(Coroutine<?> servant, String why) {
    if (scheduler().hasEnded()) {
      return; // both are abandoned
    }
    servant.cancel(why);
    enterShield();
    try {
      servant.await();
    } catch (Cancellation _) {
      // safe: the servant's; this coroutine's own is shielded
    } catch (RuntimeException | Error e) {
      tree().host().report(servant + " failed after it was cancelled", e);
    } finally {
      exitShield();
    }
  }

  public final boolean isNamedOverdue() {
    return coldState != null && coldState.overdue;
  }

  public final void nameOverdue() {
    coldState().overdue = true;
  }

  // ---- scopes it has opened ----

  void enterScope(@Nullable ScopeNode inner) {
    coldState().currentScope = inner;
  }

  @Nullable ScopeNode ownBlock() {
    ColdState r = coldStateOrNull();
    return r == null ? null : r.currentScope;
  }

  /// State that most coroutines never need, kept apart so that a million parked ones do not pay for
  /// it: created at the first use, and kept until the coroutine is garbage.
  static final class ColdState {
    // being cancelled
    boolean overdue; // named in the log: not ended in time
    boolean interruptPending; // will be sent on the trampoline
    boolean interruptSent; // the flag may still be set
    @Nullable TimerEvent interruptPause; // none is sent before it fires
    ForeignWaits.End interruptEnd =
        ForeignWaits.End.STILL_WAITING; // of the last interrupt, until it is decided
    @Nullable CancelRegion interruptedFor; // the region of the last interrupt
    int shieldDepth; // nested shields
    int uninterruptibleDepth; // nested blocks
    int undelivered; // regions with a pending request
    @Nullable CancelRegion own; // the whole body
    @Nullable CancelRegion innermost; // blocks inside it

    // the innermost scope it has opened; null: the scope it is a member of
    @Nullable ScopeNode currentScope;

    @Nullable ScopeNode serves;

    @Nullable Completions<Coroutine<?>> completions;
    @Nullable ContextNode values;
    @Nullable SwitchHandlers handlers;
    @Nullable AtomicSection section; // the innermost
  }
}
