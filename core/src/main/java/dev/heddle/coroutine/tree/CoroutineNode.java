// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineFailure;
import dev.heddle.DeadlineException;
import dev.heddle.LoopEndedException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.SwitchHandler;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.EventCallback;
import dev.heddle.event.InlineCallback;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.Waker;
import dev.heddle.scheduler.WakerStatus;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.Inheritance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A coroutine: its waker, its outcome, its place in the tree, and the regions in which it can be
/// cancelled.
public final class CoroutineNode<T extends @Nullable Object> extends Waker implements Coroutine<T> {
  private static final Duration INTERRUPT_PAUSE = Duration.ofMillis(10); // short beside any grace

  private final ScopeNode scope;
  private final long id;
  private final @Nullable String name;
  private final Object site; // the body's class, or the stack frame of the spawn
  final boolean background;

  // loop only
  private @Nullable Object work; // until it starts: a Body or an Action, or Heir of one
  @Nullable CoroutineNode<?> previous;
  @Nullable CoroutineNode<?> next;
  private boolean done;
  private boolean interruptSent;
  private boolean interruptPaused;
  private short shields; // nested protect blocks
  private short undelivered; // regions with something to deliver
  private boolean failed;
  private @Nullable Object outcome; // what it returned, or what it failed with
  private @Nullable Completion completion;
  private @Nullable CancelRegion own; // the whole body
  private @Nullable CancelRegion innermost; // blocks inside it
  private @Nullable ScopeNode
      currentScope; // innermost block of its own; null: the scope it is a member of
  private @Nullable List<SwitchHandler> handlers;
  private boolean inHandlers;

  CoroutineNode(
      LoopRoot loop, ScopeNode scope, @Nullable String name, Object work, boolean background) {
    super(loop.scheduler());
    this.scope = scope;
    this.name = name;
    this.background = background;
    this.id = loop.nextId();
    this.site = loop.options().exactSites() ? SpawnSites.caller() : work.getClass();
    Inheritance taken = Inheritance.ofCurrentThread(loop.ordinaryLoader());
    this.work = taken == null ? work : new Heir(work, taken);
  }

  /// Work whose thread inherits something; rare, so it does not cost every coroutine a field.
  private record Heir(Object work, Inheritance inheritance) {}

  // ---- finding it ----

  /// The current coroutine.
  ///
  /// @throws IllegalStateException outside a coroutine
  /// @throws LoopEndedException in a coroutine that its loop has abandoned
  public static CoroutineNode<?> current() {
    CoroutineNode<?> node = currentOrNull();
    if (node == null) {
      throw new IllegalStateException(
          "not inside a coroutine (thread "
              + Thread.currentThread().getName()
              + "); call it inside Heddle.run(() -> ...)");
    }
    if (node.scheduler().hasEnded()) {
      throw new LoopEndedException(
          node.describe() + " outlived its loop, which has ended; nothing of Heddle works in it");
    }
    return node;
  }

  static @Nullable CoroutineNode<?> currentOrNull() {
    ExecutionContext context = ExecutionContext.current();
    return context != null && context.guest() instanceof CoroutineNode<?> node ? node : null;
  }

  /// The loop it runs on.
  public LoopRoot loop() {
    return scope.loop();
  }

  /// The scope that a spawn without a scope goes to.
  public ScopeNode currentScope() {
    return currentScope == null ? scope : currentScope;
  }

  void enterScope(@Nullable ScopeNode inner) {
    currentScope = inner;
  }

  @Nullable ScopeNode ownBlock() {
    return currentScope;
  }

  // ---- its life ----

  @Override
  public @Nullable Inheritance inheritance() {
    return work instanceof Heir heir ? heir.inheritance() : null;
  }

  @Override
  public void runOn(ExecutionContext context) {
    if (name != null) {
      context.thread().setName(name);
    }
    T returned = null;
    Throwable thrown = null;
    try {
      begin(context);
      returned = work();
    } catch (Throwable e) {
      thrown = e;
    }
    try {
      closeOpenScopes();
      if (!scheduler().hasEnded()) {
        end();
      }
    } catch (Throwable e) {
      // a switch handler, or a scope left open with a failure
      thrown = thrown == null ? e : thrown;
    }
    if (!scheduler().hasEnded()) {
      finish(returned, thrown);
    }
  }

  // a scope opened and not closed ends with its owner, at the latest
  private void closeOpenScopes() {
    while (currentScope != null && !scheduler().hasEnded()) {
      currentScope.close();
    }
  }

  @SuppressWarnings("unchecked") // spawned with a Body<T>, or an Action where T is Void
  private @Nullable T work() throws Exception {
    Object mine = work instanceof Heir heir ? heir.work() : work;
    work = null;
    if (mine instanceof Action action) {
      action.run();
      return null;
    }
    return mine == null ? null : ((Body<T>) mine).run();
  }

  @Override
  protected void finishIgnored() {
    work = null;
    finish(null, null);
  }

  private void finish(@Nullable T returned, @Nullable Throwable thrown) {
    CancelRegion whole = own;
    boolean cancelled = false;
    if (whole != null && whole.endsAsCancelled(thrown)) {
      cancelled = true;
      endFailed(whole.cancellation());
    } else if (thrown != null) {
      endFailed(CoroutineFailure.of(thrown));
    } else {
      outcome = returned;
    }
    if (whole != null) {
      whole.close();
    }
    done = true;
    boolean taken = completion != null && completion.tell();
    scope.memberEnded(this, cancelled ? null : failure(), taken);
  }

  private void endFailed(Throwable with) {
    failed = true;
    outcome = with;
  }

  /// Its outcome, once it is done.
  @SuppressWarnings({"NullAway", "unchecked"}) // null exactly when the body's T allows it
  T outcome() {
    Throwable failure = failure();
    if (failure != null) {
      scope.taken(this);
      throw LoopRoot.<RuntimeException>rethrown(failure);
    }
    return (T) outcome;
  }

  // ---- waiting ----

  @Override
  public Event event() {
    Completion c = completion;
    if (c == null) {
      c = new Completion();
      completion = c;
    }
    return c;
  }

  @Override
  public T await() {
    return done ? outcome() : awaitUntil(null, Role.RESOLVE);
  }

  @Override
  public T await(Deadline deadline) {
    if (done) {
      return outcome();
    }
    return awaitUntil(deadline.isNever() ? null : loop().timer(deadline.nanoTime()), Role.TIMEOUT);
  }

  @Override
  public T await(Awaitable<?> token) {
    return done ? outcome() : awaitUntil(token.event(), Role.CANCEL);
  }

  private T awaitUntil(@Nullable Event end, Role role) {
    CoroutineNode<?> waiting = current();
    if (waiting == this) {
      throw new IllegalStateException(describe() + " awaits itself; it would wait for ever");
    }
    if (waiting.scheduler() != scheduler()) {
      throw new IllegalStateException(
          describe()
              + " belongs to another loop; take its toCompletableFuture() there and await that");
    }
    waiting.renew();
    waiting.resumeWhen(event(), Role.RESOLVE);
    if (end != null) {
      waiting.resumeWhen(end, role);
    }
    scheduler().suspend(waiting);
    return outcome();
  }

  /// Waits for an event; its result is returned, its error thrown.
  public @Nullable Object awaitEvent(Event event) {
    renew();
    resumeWhen(event, Role.RESOLVE);
    return scheduler().suspend(this);
  }

  /// Waits until `deadline` on the scale of [System#nanoTime()].
  public void delayUntil(long deadline) {
    awaitEvent(loop().timer(deadline));
  }

  // ---- cancellation ----

  @Override
  public void cancel(String why) {
    cancel(new Cancellation(why));
  }

  @Override
  public void cancel(Cancellation c) {
    if (done) {
      return;
    }
    scheduler().checkOnLoop();
    cancelFromTree(c);
  }

  void cancelFromTree(Cancellation c) {
    if (done) {
      return;
    }
    if (own == null) {
      own = new CancelRegion(this, null, 0);
    }
    if (own.request(c)) {
      ignore();
    }
  }

  /// The loop's time is over: from now on every suspension throws, whatever shields it.
  void insist() {
    cancelFromTree(new Cancellation("the loop's shutdown deadline is over"));
    if (own != null) {
      own.insist();
    }
    poke();
  }

  /// A region of this coroutine has something to deliver.
  void cancellationRequested() {
    undelivered++;
    poke();
  }

  void cancellationDelivered() {
    undelivered--;
    updatePending();
  }

  private void updatePending() {
    setCancellationPending(undelivered > 0 && deliverable() != null);
  }

  /// The outermost region that may throw here: it unwinds the most.
  private @Nullable CancelRegion deliverable() {
    int shieldsHere = loop().isPastDeadline() ? 0 : shields;
    if (own != null && own.delivers(shieldsHere)) {
      return own;
    }
    CancelRegion outermost = null;
    for (CancelRegion r = innermost; r != null; r = r.outer) {
      if (r.delivers(shieldsHere)) {
        outermost = r;
      }
    }
    return outermost;
  }

  /// Makes a coroutine that waits notice what is to be delivered.
  void poke() {
    updatePending();
    if (!isCancellationPending() || interruptWait() || !isStarted() || done) {
      return;
    }
    if (context() != ExecutionContext.current()) {
      interruptForeignWait();
    }
  }

  // one interrupt now, the next after a pause: a wait that cannot be interrupted (a monitor, a
  // lock)
  // would otherwise park and be unparked without end
  @Override
  protected void interruptForeignWait() {
    ExecutionContext context = context();
    if (context == null || !context.isHosting() || interruptPaused) {
      return;
    }
    interruptSent = true;
    interruptPaused = true;
    scheduler().interruptLater(context);
    TimerEvent pause = loop().hiddenTimer(INTERRUPT_PAUSE);
    InlineCallback again = new InterruptAgain();
    pause.subscribe(again);
    pause.start();
  }

  private final class InterruptAgain implements InlineCallback {
    @Override
    public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
      interruptPaused = false;
      poke();
    }
  }

  @Override
  protected @Nullable Cancellation takeCancellation() {
    CancelRegion region = deliverable();
    if (region == null) {
      return null;
    }
    clearInterrupt();
    return region.deliver();
  }

  @Override
  protected void failureDropped(Throwable dropped) {
    loop().report("a failure reached " + describe() + " together with its cancellation", dropped);
  }

  private void clearInterrupt() {
    if (interruptSent) {
      interruptSent = false;
      Thread.interrupted();
    }
  }

  /// Throws what is to be delivered.
  public void checkCancelled() {
    if (isCancellationPending()) {
      Cancellation c = takeCancellation();
      if (c != null) {
        throw c;
      }
    }
  }

  CancelRegion openRegion() {
    CancelRegion region = new CancelRegion(this, innermost, shields);
    innermost = region;
    return region;
  }

  void closeRegion(CancelRegion region) {
    region.close();
    innermost = region.outer;
    clearInterrupt();
  }

  void shield() {
    shields++;
    updatePending();
  }

  void unshield() {
    shields--;
    updatePending();
  }

  /// Runs `body` so that cancellations wait until it has ended.
  public <R extends @Nullable Object> R protect(Body<R> protectedBody) throws Exception {
    shield();
    R result;
    try {
      result = protectedBody.run();
    } finally {
      unshield();
    }
    checkCancelled();
    return result;
  }

  /// Runs `body` for at most `limit`.
  public <R extends @Nullable Object> R within(Duration limit, Body<R> boundedBody)
      throws Exception {
    CancelRegion region = openRegion();
    region.bound(loop().timer(Deadline.nanoTimeAfter(limit)), "within(" + limit + ") ran out");
    try {
      return boundedBody.run();
    } catch (Throwable thrown) {
      if (region.explains(thrown)) {
        throw new DeadlineException(describe() + ": within(" + limit + ") ran out", thrown);
      }
      throw thrown;
    } finally {
      closeRegion(region);
    }
  }

  // ---- switch handlers ----

  @Override
  public void addSwitchHandler(SwitchHandler handler) {
    if (inHandlers) {
      throw new IllegalStateException(
          "a switch handler of "
              + describe()
              + " tried to add another; add it before, or from the coroutine's body");
    }
    if (handlers == null) {
      handlers = new ArrayList<>(1);
    }
    handlers.add(handler);
    watch(true);
  }

  @Override
  protected void onSwitch(boolean enter, boolean finishing) {
    List<SwitchHandler> current = handlers;
    if (current == null) {
      return;
    }
    inHandlers = true;
    try {
      for (Iterator<SwitchHandler> i = current.iterator(); i.hasNext(); ) {
        if (!i.next().onSwitch(this, enter, finishing)) {
          i.remove();
        }
      }
    } finally {
      inHandlers = false;
    }
    watch(!current.isEmpty());
  }

  // ---- views ----

  @Override
  public boolean isDone() {
    return done;
  }

  @Override
  public boolean isCancelled() {
    return own != null && own.wasRequested();
  }

  @Override
  public boolean isQueued() {
    WakerStatus status = status();
    return status == WakerStatus.QUEUED || status == WakerStatus.IGNORED;
  }

  @Override
  public boolean isSuspended() {
    return isStarted() && !done && currentOrNull() != this;
  }

  @Override
  @SuppressWarnings("unchecked") // what the body returned
  public @Nullable T result() {
    return failed ? null : (T) outcome;
  }

  @Override
  public @Nullable Throwable failure() {
    return failed ? (Throwable) outcome : null;
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public String name() {
    return name == null ? "coroutine-" + id : name;
  }

  @Override
  public Coroutine<T> highPriority() {
    raisePriority();
    return this;
  }

  @Override
  public String describe() {
    return (name == null ? "coroutine-" + id : "coroutine-" + id + " '" + name + "'")
        + " spawned at "
        + SpawnSites.describe(site);
  }

  @Override
  public String toString() {
    return describe();
  }

  /// Where and on what it waits, one line, for reports.
  String waitInfo() {
    if (!isStarted()) {
      return "has not started";
    }
    List<Event> events = awaitedEvents();
    if (status() == WakerStatus.WAITING && !events.isEmpty()) {
      StringBuilder line = new StringBuilder("waits for ");
      for (int i = 0; i < events.size(); i++) {
        line.append(i == 0 ? "" : ", or ").append(events.get(i).info());
      }
      return line.toString();
    }
    return status() == WakerStatus.NO_STATUS ? "is parked by the JDK, or runs" : "is ready to run";
  }

  @Override
  public CompletableFuture<T> toCompletableFuture() {
    CompletableFuture<T> future = new CompletableFuture<>();
    if (done) {
      settle(future);
    } else {
      // dependents of the future are user code: not an inline callback
      EventCallback callback = (event, result, error) -> settle(future);
      event().subscribe(callback);
    }
    return future;
  }

  @SuppressWarnings({"NullAway", "unchecked"}) // null exactly when the body's T allows it
  private void settle(CompletableFuture<T> future) {
    Throwable failure = failure();
    if (failure != null) {
      scope.taken(this);
      future.completeExceptionally(failure);
    } else {
      future.complete((T) outcome);
    }
  }

  /// The end of this coroutine, as an event.
  private final class Completion extends Event {
    Completion() {
      super(scheduler());
    }

    @Override
    public boolean isClosed() {
      return done;
    }

    @Override
    public void replay(EventCallback callback) {
      if (!done) {
        super.replay(callback);
      }
      callback.onEvent(this, result(), failure());
    }

    /// Whether somebody waits, who then takes the outcome.
    boolean tell() {
      boolean awaited = subscribers() > 0;
      fire(result(), failure());
      return awaited;
    }

    @Override
    public String info() {
      return "the end of " + describe();
    }
  }
}
