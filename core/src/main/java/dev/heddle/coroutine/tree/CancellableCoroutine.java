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
import dev.heddle.scheduler.Waker;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ForeignWaits;
import dev.heddle.scheduler.context.VirtualThreads;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What can be cancelled of a coroutine: its regions, its shields, and how it learns of it.
///
/// Inheritance, and no composition, on purpose: Subscriptions, Waker, CancellableCoroutine and
/// CoroutineNode are one object, since each further one would cost every parked coroutine a header
/// and every switch an indirection. What most coroutines never need stands in [ColdState].
///
/// The protocol is described in [CancelRegion].
public abstract class CancellableCoroutine extends Waker {
  private static final String IGNORED_CANCELLATION =
      ", and the body went on to its end all the same";
  private static final Duration INTERRUPT_PAUSE = Duration.ofMillis(10); // between two waits

  // loop only; null: nobody has cancelled, shielded or watched it, and it has opened no scope
  private @Nullable ColdState coldState;

  CancellableCoroutine(Scheduler scheduler) {
    super(scheduler);
  }

  /// The tree it belongs to.
  public abstract CoroutineTree tree();

  /// What it has of the rarely needed; null when that is nothing.
  final @Nullable ColdState coldStateOrNull() {
    return coldState;
  }

  /// Room for the rarely needed.
  final ColdState coldState() {
    ColdState r = coldState;
    if (r == null) {
      r = new ColdState();
      coldState = r;
    }
    return r;
  }

  /// Whether it has ended.
  public abstract boolean isDone();

  /// Whether a cancellation of it as a whole has an effect.
  abstract boolean isCancellable();

  // ---- being cancelled ----

  /// Cancels it, with a reason.
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
    requestWhole(c);
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
  /// cancellation: one that awaits a member in vain brings it back to where it is explained.
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
        outermost = s; // a cancellation of it reaches those inside it
      }
    }
    return outermost;
  }

  /// Cancels it with a cancellation that others get, too.
  void cancelShared(Cancellation shared) {
    if (isCancellable() && whole().requestShared(shared) && maySkipBody()) {
      ignore();
    }
  }

  private void requestWhole(Cancellation own) {
    if (isCancellable() && whole().request(own) && maySkipBody()) {
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

  /// Whether it need not run at all when it is cancelled before its start.
  abstract boolean maySkipBody();

  /// The loop's time is over: from now on every suspension throws, whatever shields it.
  public void forceCancel() {
    cancelShared(new Cancellation("the loop's shutdown deadline is over"));
    CancelRegion whole = own();
    if (whole != null) {
      whole.force();
    }
    recheckCancellation();
  }

  /// Whether somebody has cancelled it, be it done or not.
  public boolean isCancelled() {
    CancelRegion whole = own();
    return whole != null && whole.wasRequested();
  }

  private @Nullable CancelRegion own() {
    return coldState == null ? null : coldState.own;
  }

  /// The cancellation that is the outcome of a body that has thrown `thrown`; null when it was not
  /// cancelled, or failed with something else.
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

  // ---- learning of it ----

  /// A region of this coroutine has something to deliver.
  void cancellationRequested() {
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

  /// A region around others has delivered its request: theirs unwind with it.
  void supersedeInside(CancelRegion outer) {
    for (CancelRegion r = coldState().innermost; r != null && r != outer; r = r.outer) {
      r.supersede();
    }
  }

  /// What was delivered is not heeded: from now on it is thrown at every wait.
  void gracePeriodEnded(Cancellation unheeded) {
    tree().host().gracePeriodEnded(this, unheeded);
  }

  /// A cancellation that a scope met and that gave way to a failure was seen by nobody: it is
  /// thrown at the next suspension, again.
  ///
  /// @param met what the scope met
  /// @param thrown what it has thrown
  void postpone(@Nullable Throwable met, @Nullable Throwable thrown) {
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

  /// The outermost region that may throw here: it unwinds the most.
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

  /// Makes a coroutine that waits notice what is to be delivered.
  void recheckCancellation() {
    updatePending();
    if (!isCancellationPending() || interruptWait() || !isStarted() || isDone()) {
      return;
    }
    if (context() != ExecutionContext.current()) {
      interruptForeignWait();
    }
  }

  // On the trampoline, where nobody is mounted. What the JDK lets go on by then comes here again as
  // soon as it is parked again.
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
      return; // a lock keeps the flag to itself until it is taken: only then it says anything
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
      // before anybody else runs: one that ended the wait now would have it return as if nothing
      // had been, and what it took would be lost
      boolean ran = scheduler().resumeNow(parkedOn);
      if (!ran && r.interruptEnd == ForeignWaits.End.BY_INTERRUPT) {
        r.interruptEnd = parkedOn.afterInterrupt();
      }
    }
  }

  /// Whether it runs with the flag set behind a wait that may have ended by what others handed
  /// over.
  private boolean isInterruptAmbiguous() {
    return coldState != null
        && coldState.interruptEnd == ForeignWaits.End.AMBIGUOUS
        && Thread.currentThread().isInterrupted();
  }

  // It is settled as late as it is asked for: until the coroutine has run, another may end the wait
  // that was interrupted. UNDECIDED, another probably has: only a flag that is gone says that it
  // was felt. AMBIGUOUS, probably none has, and who left the flag is a library that restored it.
  private void decideAmbiguous(ColdState r, boolean flag) {
    ForeignWaits.End end = r.interruptEnd;
    r.interruptEnd = ForeignWaits.End.STILL_WAITING;
    boolean felt =
        end == ForeignWaits.End.UNDECIDED ? !flag : end != ForeignWaits.End.STILL_WAITING;
    if (felt && r.interruptedFor != null) {
      r.interruptedFor.interrupted();
    }
  }

  // a wait that begins anew each time would else be parked and unparked without end
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
      r.interruptedFor.markMayHaveResult(); // the flag, which would say so at its end, goes now
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

  /// Whether its last interrupt was for a region around `inner`, which has not been left since.
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

  /// Throws what is to be delivered, also what only a tick would find out: a deadline that is over,
  /// what other threads have asked for. Then what an interrupt has delivered, if nobody asked yet.
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

  /// Throws what is to be delivered.
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
    if (!isInterruptAmbiguous()) { // else a wait of the JDK's is to find the flag
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
        || r.interruptedFor == region) { // else the region around it is to find that
      clearOwnInterrupt(); // before it is closed: what was delivered to it may not be settled yet
    }
    region.close();
    r.innermost = region.outer;
    CancelRegion last = r.interruptedFor;
    while (last != null && last.isClosed()) {
      last = last.interruptedBefore;
    }
    r.interruptedFor = last;
  }

  /// The innermost of the blocks that can be cancelled as one; null: none.
  @Nullable CancelRegion innermostRegion() {
    return coldState == null ? null : coldState.innermost;
  }

  /// Protect blocks around what it runs now.
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

  /// Runs `body` so that cancellations from outside it wait until it has ended.
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

  /// Runs `body` for at most `limit`.
  public <R extends @Nullable Object> R withTimeout(Duration limit, Body<R> body) throws Exception {
    Objects.requireNonNull(body, "body");
    StackGuard.requireRoom();
    return withDeadline(
        Deadline.after(limit).nanoTime(), "withTimeout(" + limit + ") ran out", body);
  }

  /// Runs `body` until a deadline at most.
  public <R extends @Nullable Object> R withDeadline(Deadline deadline, Body<R> body)
      throws Exception {
    Objects.requireNonNull(body, "body");
    StackGuard.requireRoom();
    return deadline.isNever()
        ? body.run()
        : withDeadline(deadline.nanoTime(), "withDeadline ran out", body);
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

  /// Runs `body` until `token` fires at most.
  public <R extends @Nullable Object> R within(EventSource token, Body<R> body) throws Exception {
    Objects.requireNonNull(body, "body");
    StackGuard.requireRoom();
    token.checkHomeLoop(scheduler());
    CancelRegion region = openRegion();
    R result;
    try {
      region.bound(token, "the token of cancelWhen fired");
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
                          describe() + ": the token of cancelWhen fired", failure));
      if (failure != null && region.hasFailed() && ended.getCause() != failure) {
        FailureTable.merge(ended, failure);
      }
      throw Rethrow.unchecked(ended);
    } finally {
      closeRegion(region);
    }
    if (region.wasCancelled(result)) {
      throw new WaitCancelledException(
          describe() + ": the token of cancelWhen fired" + IGNORED_CANCELLATION, region.cause());
    }
    if (region.hasFailed()) {
      tree()
          .host()
          .report("the token of cancelWhen failed, and the body continued", region.cause());
    }
    return result;
  }

  // a clean-up that fails in try-with-resources is a failure of the block, as one in `finally` is
  private static Throwable carriedOr(CancelRegion of, Throwable cut, Supplier<Throwable> end) {
    Throwable carried = Precedence.carriedBy(cut, of.cancellation());
    return carried == null ? end.get() : carried;
  }

  /// Runs `body` so that nothing it waits for in the JDK is interrupted for a cancellation.
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

  /// Ends a coroutine that works for this one: cancels it and waits, whatever happens, until it has
  /// ended. It has nobody left to fail for: that is reported.
  public final void cancelAndAwait(Coroutine<?> servant, String why) {
    if (scheduler().hasEnded()) {
      return; // it was left behind like this one
    }
    servant.cancel(why);
    enterShield();
    try {
      servant.await();
    } catch (Cancellation _) {
      // safe: its own; this one's waits for the end of the shield
    } catch (RuntimeException | Error e) {
      tree().host().report(servant + " failed after it was cancelled", e);
    } finally {
      exitShield();
    }
  }

  /// Whether it was named as one that goes on although it was cancelled.
  public final boolean isNamedOverdue() {
    return coldState != null && coldState.overdue;
  }

  /// It has been named.
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
}
