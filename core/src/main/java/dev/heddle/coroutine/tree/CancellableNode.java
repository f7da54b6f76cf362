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
import dev.heddle.internal.StackReserve;
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
/// Inheritance, and no composition, on purpose: Subscriptions, Waker, CancellableNode and
/// CoroutineNode are one object, since each further one would cost every parked coroutine a header
/// and every switch an indirection. What most coroutines never need stands in [RareData].
///
/// The protocol is described in [CancelRegion].
public abstract class CancellableNode extends Waker {
  private static final String WENT_ON = ", and the body went on to its end all the same";
  private static final Duration INTERRUPT_PAUSE = Duration.ofMillis(10); // between two waits

  // loop only; null: nobody has cancelled, shielded or watched it, and it has opened no scope
  private @Nullable RareData rare;

  CancellableNode(Scheduler scheduler) {
    super(scheduler);
  }

  /// The tree it belongs to.
  public abstract CoroutineTree tree();

  /// What it has of the rarely needed; null when that is nothing.
  final @Nullable RareData rareOrNull() {
    return rare;
  }

  /// Room for the rarely needed.
  final RareData rare() {
    RareData r = rare;
    if (r == null) {
      r = new RareData();
      rare = r;
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
    StackReserve.require();
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
  void cancelFromTree(Cancellation shared) {
    if (isCancellable() && whole().requestShared(shared) && mayBeIgnored()) {
      ignore();
    }
  }

  private void requestWhole(Cancellation own) {
    if (isCancellable() && whole().request(own) && mayBeIgnored()) {
      ignore();
    }
  }

  private CancelRegion whole() {
    RareData r = rare();
    CancelRegion own = r.own;
    if (own == null) {
      own = new CancelRegion(this, null, 0);
      r.own = own;
    }
    return own;
  }

  /// Whether it need not run at all when it is cancelled before its start.
  abstract boolean mayBeIgnored();

  /// The loop's time is over: from now on every suspension throws, whatever shields it.
  public void insist() {
    cancelFromTree(new Cancellation("the loop's shutdown deadline is over"));
    CancelRegion whole = own();
    if (whole != null) {
      whole.insist();
    }
    poke();
  }

  /// Whether somebody has cancelled it, be it done or not.
  public boolean isCancelled() {
    CancelRegion whole = own();
    return whole != null && whole.wasRequested();
  }

  private @Nullable CancelRegion own() {
    return rare == null ? null : rare.own;
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
    RareData r = rare();
    r.undelivered++;
    endInterruptPause();
    poke();
  }

  void cancellationDelivered() {
    rare().undelivered--;
    endInterruptPause();
    updatePending();
  }

  /// A region around others has delivered its request: theirs unwind with it.
  void coverInside(CancelRegion outer) {
    for (CancelRegion r = rare().innermost; r != null && r != outer; r = r.outer) {
      r.cover();
    }
  }

  /// What was delivered is not heeded: from now on it is thrown at every wait.
  void graceIsOver(Cancellation unheeded) {
    tree().host().graceIsOver(this, unheeded);
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
    RareData r = rare();
    if (r.own != null) {
      r.own.takeBack(met);
    }
    for (CancelRegion region = r.innermost; region != null; region = region.outer) {
      region.takeBack(met);
    }
  }

  private void updatePending() {
    RareData r = rare;
    setCancellationPending(r != null && r.undelivered > 0 && deliverable(r) != null);
  }

  /// The outermost region that may throw here: it unwinds the most.
  private @Nullable CancelRegion deliverable(RareData r) {
    int shieldsHere = tree().isPastDeadline() ? 0 : r.shields;
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
    return rare == null ? null : deliverable(rare);
  }

  /// Makes a coroutine that waits notice what is to be delivered.
  void poke() {
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
    RareData r = rare();
    if (context == null
        || !context.isHosting()
        || r.interruptDue
        || r.interruptPause != null
        || r.uninterrupted > 0) {
      return;
    }
    r.interruptDue = true;
    scheduler().onTrampoline(() -> endForeignWait(context, r));
  }

  private void endForeignWait(ExecutionContext parkedOn, RareData r) {
    r.interruptDue = false;
    if (context() != parkedOn || scheduler().hasEnded() || !parkedOn.isParked()) {
      return;
    }
    if (r.interruptEnd != ForeignWaits.End.GOES_ON && !parkedOn.isInterruptible()) {
      return; // a lock keeps the flag to itself until it is taken: only then it says anything
    }
    settle(r, parkedOn.thread().isInterrupted());
    CancelRegion region = deliverable();
    if (region == null || r.uninterrupted > 0) {
      return;
    }
    ForeignWaits.End end = parkedOn.endForeignWait();
    if (end == ForeignWaits.End.GOES_ON) {
      return;
    }
    r.interruptSent = true;
    r.interruptEnd = end;
    region.interruptSent(r.interruptedFor);
    r.interruptedFor = region;
    if (region.isInsisting()) {
      pauseInterrupts(r);
    }
    if (end == ForeignWaits.End.BY_INTERRUPT || end == ForeignWaits.End.IN_DOUBT) {
      // before anybody else runs: one that ended the wait now would have it return as if nothing
      // had been, and what it took would be lost
      boolean ran = scheduler().resumeNow(parkedOn);
      if (!ran && r.interruptEnd == ForeignWaits.End.BY_INTERRUPT) {
        r.interruptEnd = parkedOn.endUnlessFirst();
      }
    }
  }

  /// Whether it runs with the flag set behind a wait that may have ended by what others handed
  /// over.
  private boolean isInDoubt() {
    return rare != null
        && rare.interruptEnd == ForeignWaits.End.IN_DOUBT
        && Thread.currentThread().isInterrupted();
  }

  // It is settled as late as it is asked for: until the coroutine has run, another may end the wait
  // that was interrupted. UNDECIDED, another probably has: only a flag that is gone says that it
  // was felt. IN_DOUBT, probably none has, and who left the flag is a library that restored it.
  private void settle(RareData r, boolean flag) {
    ForeignWaits.End end = r.interruptEnd;
    r.interruptEnd = ForeignWaits.End.GOES_ON;
    boolean felt = end == ForeignWaits.End.UNDECIDED ? !flag : end != ForeignWaits.End.GOES_ON;
    if (felt && r.interruptedFor != null) {
      r.interruptedFor.interrupted();
    }
  }

  // a wait that begins anew each time would else be parked and unparked without end
  private void pauseInterrupts(RareData r) {
    TimerEvent pause = tree().hiddenTimer(INTERRUPT_PAUSE);
    pause.subscribe(new InterruptAgain());
    pause.start();
    r.interruptPause = pause;
  }

  private void endInterruptPause() {
    RareData r = rare;
    if (r != null && r.interruptPause != null) {
      r.interruptPause.stop();
      r.interruptPause = null;
    }
  }

  private final class InterruptAgain implements InlineCallback {
    @Override
    public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
      if (event == rare().interruptPause) {
        endInterruptPause();
        poke();
      }
    }
  }

  @Override
  protected boolean clearOwnInterrupt() {
    RareData r = rare;
    if (r == null || !(r.interruptSent || r.interruptedFor != null)) {
      return false;
    }
    VirtualThreads.mendState();
    if (isInDoubt() && r.interruptedFor != null) {
      r.interruptedFor.mayHaveGotSomething(); // the flag, which would say so at its end, goes now
    }
    boolean flag = Thread.interrupted();
    settle(r, flag);
    r.interruptSent = false;
    return flag;
  }

  @Override
  protected boolean isShielded() {
    return shields() > 0;
  }

  /// Whether its last interrupt was for a region around `inner`, which has not been left since.
  boolean wasInterruptedOutside(CancelRegion inner) {
    CancelRegion last = rare == null ? null : rare.interruptedFor;
    return last != null && last != inner && (isWhole(last) || inner.isInside(last));
  }

  @Override
  protected @Nullable Cancellation takeCancellation() {
    clearOwnInterrupt();
    CancelRegion region = deliverable();
    return region == null ? null : region.deliver();
  }

  @Override
  protected boolean isCancelledForGood() {
    CancelRegion region = deliverable();
    return region != null && region.isInsisting();
  }

  /// Throws what is to be delivered, also what only a tick would find out: a deadline that is over,
  /// what other threads have asked for. Then what an interrupt has delivered, if nobody asked yet.
  public void checkCancelled() {
    if (!isCancellationPending()) {
      scheduler().lookAround();
    }
    throwPending();
    Cancellation delivered = rare == null ? null : claimInterrupt();
    if (delivered != null) {
      throw delivered;
    }
  }

  /// Throws what is to be delivered.
  final void throwPending() {
    Cancellation c = isCancellationPending() ? takeCancellation() : null;
    if (c != null) {
      throw c;
    }
  }

  private @Nullable Cancellation claimInterrupt() {
    clearOwnInterrupt();
    Cancellation found = null;
    CancelRegion last = rare().interruptedFor;
    while (found == null && last != null) {
      found = last.claimInterrupt(shields());
      last = last.interruptedBefore;
    }
    return found;
  }

  // ---- regions and shields ----

  CancelRegion openRegion() {
    VirtualThreads.mendState();
    if (!isInDoubt()) { // else a wait of the JDK's is to find the flag
      clearOwnInterrupt();
    }
    RareData r = rare();
    CancelRegion region = new CancelRegion(this, r.innermost, r.shields);
    r.innermost = region;
    return region;
  }

  void closeRegion(CancelRegion region) {
    VirtualThreads.mendState();
    RareData r = rare();
    if (isInDoubt()) {
      region.mayHaveGotSomething();
    }
    if (!isInDoubt() || r.interruptedFor == region) { // else the region around it is to find that
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
    return rare == null ? null : rare.innermost;
  }

  /// Protect blocks around what it runs now.
  public int shields() {
    return rare == null ? 0 : rare.shields;
  }

  void shield() {
    rare().shields++;
    updatePending();
  }

  void unshield() {
    rare().shields--;
    updatePending();
  }

  /// Runs `body` so that cancellations from outside it wait until it has ended.
  public <R extends @Nullable Object> R protect(Body<R> body) throws Exception {
    Objects.requireNonNull(body, "body");
    StackReserve.require();
    VirtualThreads.mendState();
    clearOwnInterrupt();
    shield();
    R result;
    try {
      result = body.run();
    } finally {
      unshield();
    }
    throwPending();
    return result;
  }

  /// Runs `body` for at most `limit`.
  public <R extends @Nullable Object> R within(Duration limit, Body<R> body) throws Exception {
    Objects.requireNonNull(body, "body");
    StackReserve.require();
    return within(Deadline.after(limit).nanoTime(), "within(" + limit + ") ran out", body);
  }

  /// Runs `body` until a deadline at most.
  public <R extends @Nullable Object> R within(Deadline deadline, Body<R> body) throws Exception {
    Objects.requireNonNull(body, "body");
    StackReserve.require();
    return deadline.isNever()
        ? body.run()
        : within(deadline.nanoTime(), "within(deadline) ran out", body);
  }

  private <R extends @Nullable Object> R within(long nanoTime, String over, Body<R> body)
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
    if (region.hasCut(result)) {
      throw new DeadlineException(describe() + ": " + over + WENT_ON);
    }
    return result;
  }

  /// Runs `body` until `token` fires at most.
  public <R extends @Nullable Object> R within(EventSource token, Body<R> body) throws Exception {
    Objects.requireNonNull(body, "body");
    StackReserve.require();
    token.checkHome(scheduler());
    CancelRegion region = openRegion();
    R result;
    try {
      region.bound(token, "the token of within(token) fired");
      result = body.run();
    } catch (Throwable thrown) {
      Throwable failure = region.cause();
      Throwable ended =
          !region.endsInsteadOf(thrown)
              ? thrown
              : carriedOr(
                  region,
                  thrown,
                  () ->
                      new WaitCancelledException(
                          describe() + ": the token of within(token) fired", failure));
      if (failure != null && region.hasFailed() && ended.getCause() != failure) {
        FailureTable.merge(ended, failure);
      }
      throw Rethrow.unchecked(ended);
    } finally {
      closeRegion(region);
    }
    if (region.hasCut(result)) {
      throw new WaitCancelledException(
          describe() + ": the token of within(token) fired" + WENT_ON, region.cause());
    }
    if (region.hasFailed()) {
      tree()
          .host()
          .report("the token of within(token) failed, and the body went on", region.cause());
    }
    return result;
  }

  // a clean-up that fails in try-with-resources is a failure of the block, as one in `finally` is
  private static Throwable carriedOr(CancelRegion of, Throwable cut, Supplier<Throwable> end) {
    Throwable carried = Precedence.carriedBy(cut, of.cancellation());
    return carried == null ? end.get() : carried;
  }

  /// Runs `body` so that nothing it waits for in the JDK is interrupted for a cancellation.
  public <R extends @Nullable Object> R uninterrupted(Body<R> body) throws Exception {
    Objects.requireNonNull(body, "body");
    StackReserve.require();
    clearOwnInterrupt();
    rare().uninterrupted++;
    try {
      return body.run();
    } finally {
      rare().uninterrupted--;
    }
  }

  /// Ends a coroutine that works for this one: cancels it and waits, whatever happens, until it has
  /// ended. It has nobody left to fail for: that is reported.
  public final void end(Coroutine<?> servant, String why) {
    if (scheduler().hasEnded()) {
      return; // it was left behind like this one
    }
    servant.cancel(why);
    shield();
    try {
      servant.await();
    } catch (Cancellation _) {
      // safe: its own; this one's waits for the end of the shield
    } catch (RuntimeException | Error e) {
      tree().host().report(servant + " failed after it had been told to end", e);
    } finally {
      unshield();
    }
  }

  /// Whether it was named as one that goes on although it was cancelled.
  public final boolean isNamedOverdue() {
    return rare != null && rare.overdue;
  }

  /// It has been named.
  public final void nameOverdue() {
    rare().overdue = true;
  }

  // ---- scopes it has opened ----

  void enterScope(@Nullable ScopeNode inner) {
    rare().currentScope = inner;
  }

  @Nullable ScopeNode ownBlock() {
    RareData r = rareOrNull();
    return r == null ? null : r.currentScope;
  }
}
