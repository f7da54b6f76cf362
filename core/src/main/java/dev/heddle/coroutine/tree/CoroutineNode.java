// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.LoopEndedException;
import dev.heddle.coroutine.CompletionHandler;
import dev.heddle.coroutine.Context;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.SwitchHandler;
import dev.heddle.coroutine.tree.ScopeFailures.Unobserved;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.EventCallback;
import dev.heddle.event.Future;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import dev.heddle.internal.StackGuard;
import dev.heddle.observe.WaitSnapshot;
import dev.heddle.scheduler.SwitchTrace;
import dev.heddle.scheduler.WakerStatus;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import dev.heddle.scheduler.context.Inheritance;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A coroutine: its body, its outcome, and its position in the tree.
public final class CoroutineNode<T extends @Nullable Object> extends CancellableCoroutine
    implements Coroutine<T>, Unobserved {
  private static final byte FOREGROUND = 0;
  private static final byte BACKGROUND = 1;
  private static final byte INTERNAL = 2; // of the runtime; delivers notifications

  private static final byte NOT_YET = 0;
  private static final byte RETURNED = 1;
  private static final byte FAILED = 2; // or cancelled

  private final ScopeNode scope;
  final long id;
  final Object site; // see SpawnSites
  private final byte kind;

  // loop only; the payload (see Waker) is a Body, an Action or an InheritingWork until the work
  // starts, and the result or the failure after the end
  @Nullable CoroutineNode<?> previous;
  @Nullable CoroutineNode<?> next;
  private byte end = NOT_YET;
  private @Nullable Completion completion;

  CoroutineNode(
      CoroutineTree tree,
      ScopeNode scope,
      @Nullable String name,
      Object work,
      boolean background,
      boolean runtimesOwn) {
    // an internal coroutine may be created in a tick, on the stack of another coroutine
    this(
        tree,
        scope,
        name,
        work,
        background,
        runtimesOwn,
        runtimesOwn ? work.getClass() : tree.spawned(work.getClass()));
  }

  /// Creates a coroutine with a given site: the body's class, or the trace of the spawn.
  CoroutineNode(
      CoroutineTree tree,
      ScopeNode scope,
      @Nullable String name,
      Object work,
      boolean background,
      boolean runtimesOwn,
      Object from) {
    super(tree.scheduler());
    this.scope = scope;
    this.kind = runtimesOwn ? INTERNAL : background ? BACKGROUND : FOREGROUND;
    this.id = tree.nextId();
    this.site = name == null ? from : new SpawnSites.NamedSite(name, from);
    boolean heir = !runtimesOwn && !(work instanceof SubmittedWork); // that inherits as it begins
    Inheritance taken = heir ? Inheritance.ofCurrentThread(tree.ordinaryLoader()) : null;
    setPayload(taken == null ? work : new InheritingWork(work, taken));
  }

  /// Work whose thread inherits something; rare, so it is not a field of every coroutine.
  private record InheritingWork(Object work, Inheritance inheritance) {}

  // ---- lookup ----

  /// The current coroutine.
  ///
  /// @throws IllegalStateException outside a coroutine
  /// @throws LoopEndedException in a coroutine that its loop has abandoned
  public static CoroutineNode<?> current() {
    CoroutineNode<?> node = currentOrNull();
    if (node == null) {
      throw outside(ProgramFrames.calledApiMethod() + " was called");
    }
    if (node.scheduler().hasEnded()) {
      throw new LoopEndedException(
          node.describe() + " outlived its loop, which has ended; nothing of Heddle works in it");
    }
    return node;
  }

  /// The coroutine that runs on this thread; null: none, or its loop has ended.
  public static @Nullable CoroutineNode<?> onLoopOrNull() {
    CoroutineNode<?> node = currentOrNull();
    return node == null || node.scheduler().hasEnded() ? null : node;
  }

  /// The coroutine that runs on this thread, also when its loop has ended; null: none.
  public static @Nullable CoroutineNode<?> currentOrNull() {
    ExecutionContext context = ExecutionContext.current();
    return context != null && context.occupant() instanceof CoroutineNode<?> node ? node : null;
  }

  @Override
  public CoroutineTree tree() {
    return scope.tree;
  }

  public boolean isBackground() {
    return kind == BACKGROUND;
  }

  public ScopeNode memberOf() {
    return scope;
  }

  /// The scope whose handlers it runs; that scope does not end before it.
  @Nullable ScopeNode serves() {
    ColdState r = coldStateOrNull();
    return r == null ? null : r.serves;
  }

  /// The scope to which spawns go by default.
  public ScopeNode currentScope() {
    ScopeNode opened = ownBlock();
    return opened == null ? scope : opened;
  }

  /// The coroutine to which a spawn on this thread is due; null: none, or one of the runtime's.
  static @Nullable CoroutineNode<?> spawner() {
    CoroutineNode<?> current = currentOrNull();
    return current == null || current.kind == INTERNAL ? null : current;
  }

  boolean keepsLoopAlive() {
    return kind == INTERNAL || (kind != BACKGROUND && !scope.links.isDaemon());
  }

  public @Nullable String givenName() {
    return givenName(site);
  }

  /// The name that a coroutine of this [#site()] was given; null: none.
  public static @Nullable String givenName(Object site) {
    return site instanceof SpawnSites.NamedSite named ? named.name() : null;
  }

  // ---- life cycle ----

  /// Notifications are delivered even while the loop stops, since others wait for them.
  @Override
  boolean isCancellable() {
    return !isDone() && (kind != INTERNAL || tree().isPastDeadline());
  }

  // an internal coroutine has a failure to deliver or a callback to call, which must not be lost
  @Override
  boolean maySkipBody() {
    return kind != INTERNAL && !(payload() instanceof SubmittedWork request && request.mustBegin());
  }

  @Override
  public @Nullable Inheritance inheritance() {
    return payload() instanceof InheritingWork inheritingWork ? inheritingWork.inheritance() : null;
  }

  @Override
  public void runOn(ExecutionContext context) {
    Occupant occupant = this;
    while (occupant instanceof CoroutineNode<?> node) {
      Object returned = null;
      Throwable thrown = null;
      boolean ignored = false;
      try {
        ignored = !node.begin(context);
        Object work = ignored ? null : node.takeWork(context);
        if (work instanceof Action action) {
          action.run();
        } else if (work != null) {
          returned = ((Body<?>) work).run();
        }
      } catch (Throwable e) {
        thrown = e;
      }
      if (!ignored) {
        node.runEnded(returned, thrown);
      }
      occupant = context.nextOccupant();
    }
  }

  private void runEnded(@Nullable Object returned, @Nullable Throwable bodyThrew) {
    Throwable thrown = bodyThrew;
    try {
      thrown = failureInsteadOf(closeOpenScopes(thrown));
      if (!scheduler().hasEnded()) {
        end();
      }
    } catch (Throwable e) {
      // a switch handler
      thrown = Precedence.first(thrown, e);
    }
    if (!scheduler().hasEnded()) {
      finish(returned, thrown);
      traceEnd(true);
    }
  }

  private void traceEnd(boolean ran) {
    SwitchTrace trace = isTraced() ? traceOrNone() : null;
    if (trace != null) {
      trace.ended(this, ran);
    }
  }

  // a cancellation reaches no observer, so the failures that it carries replace it
  private @Nullable Throwable failureInsteadOf(@Nullable Throwable thrown) {
    Cancellation cut = thrown == null ? null : endedBy(thrown);
    if (thrown == null || (cut == null && !(thrown instanceof Cancellation))) {
      return thrown;
    }
    Throwable carried = Precedence.carriedBy(thrown, cut);
    return carried == null ? thrown : carried;
  }

  /// What it would end with now if its body threw `thrown`, or returned (null): its cancellation,
  /// whatever the body made of that, or the failure that this carries; null: it would succeed.
  /// Takes what a cancellation carries, so the caller reports it.
  public @Nullable Throwable outcomeOf(@Nullable Throwable thrown) {
    Throwable failure = failureInsteadOf(thrown);
    Cancellation cancelled = endedBy(failure);
    return cancelled == null ? failure : cancelled;
  }

  // a scope that was opened and not closed ends with its owner at the latest
  private @Nullable Throwable closeOpenScopes(@Nullable Throwable thrown) {
    Throwable first = thrown;
    for (ScopeNode open = ownBlock(); open != null && !scheduler().hasEnded(); open = ownBlock()) {
      first = Precedence.first(first, open.waiters.closeFor(this));
    }
    return first;
  }

  // an action or a body, or null
  private @Nullable Object takeWork(ExecutionContext context) {
    String named = givenName();
    if (named != null) {
      context.thread().setName(named);
    }
    Object mine =
        payload() instanceof InheritingWork inheritingWork ? inheritingWork.work() : payload();
    setPayload(null);
    return mine;
  }

  @Override
  protected void finishIgnored() {
    Object neverBegun = payload();
    finish(null, null);
    traceEnd(false);
    if (neverBegun instanceof SubmittedWork request) {
      request.cancelledBeforeStart();
    }
  }

  private void finish(@Nullable Object returned, @Nullable Throwable thrown) {
    Cancellation cancelled = endedBy(thrown);
    closeWhole();
    if (cancelled != null) {
      end(FAILED, cancelled);
    } else if (thrown != null) {
      Throwable failure = CoroutineException.of(thrown);
      FailureTable.cameFrom(failure, () -> FailedCoroutine.of(this));
      end(FAILED, failure);
    } else {
      end(RETURNED, returned);
    }
    boolean taken = completion != null && completion.fireOutcome();
    memberEnded(cancelled == null ? failure() : null, taken);
  }

  private void memberEnded(@Nullable Throwable failure, boolean taken) {
    ColdState r = coldStateOrNull();
    scope.memberEnded(this, failure, taken, r == null ? null : r.completions);
  }

  @Override
  @SuppressWarnings("unchecked") // called with this coroutine only
  public void onCompletion(CompletionHandler<? super Coroutine<T>> handler) {
    Objects.requireNonNull(handler, "handler");
    scheduler().checkOnLoop();
    if (isDone()) {
      Completions.runInPlace(handler, this);
      return;
    }
    ColdState r = coldState();
    if (r.completions == null) {
      r.completions = new Completions<>();
    }
    r.completions.add((CompletionHandler<? super Coroutine<?>>) handler);
  }

  /// The first of the throwables of two waits of an owner that leaves a scope. A cancellation that
  /// is superseded is postponed.
  @Nullable Throwable met(@Nullable Throwable met, @Nullable Throwable further) {
    Throwable kept = Precedence.earlier(met, further);
    postpone(met, kept);
    postpone(further, kept);
    return kept;
  }

  void skipIfCancelled() {
    if (isCancelled()) {
      ignore();
    }
  }

  private void end(byte how, @Nullable Object with) {
    end = how;
    setPayload(with);
  }

  /// Called when the loop has ended without it: futures of it learn that.
  public void abandon() {
    end(FAILED, new LoopEndedException(describe() + " was abandoned at the shutdown deadline"));
    if (completion != null) {
      completion.abandon();
    }
  }

  /// Called when it will never return to its loop, which continues without it.
  public void detach() {
    end(FAILED, new LoopEndedException(describe() + " has called System.exit"));
    var _ = completion != null && completion.fireOutcome();
    scope.links.countOff(this);
  }

  @SuppressWarnings({"NullAway", "unchecked"}) // null exactly when the body's T allows it
  public T outcome() {
    Throwable failure = failure();
    if (failure != null) {
      scope.observed(this);
      throw Rethrow.unchecked(failure);
    }
    return (T) payload();
  }

  // ---- waiting ----

  @Override
  public EventSource event() {
    Completion c = completion;
    if (c == null) {
      c = new Completion();
      completion = c;
    }
    return c;
  }

  @Override
  public T await() {
    return isDone() ? outcome() : awaitUntil(Deadline.never(), null);
  }

  @Override
  public T await(Deadline deadline) {
    return isDone() ? outcome() : awaitUntil(deadline, null);
  }

  @Override
  public T await(Awaitable<?> token) {
    EventSource end = EventSource.of(token); // checks the token even if this has ended
    return isDone() ? outcome() : awaitUntil(Deadline.never(), end);
  }

  private T awaitUntil(Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> waiting = current();
    if (waiting == this) {
      throw new IllegalStateException(describe() + " awaits itself; it would wait forever");
    }
    if (waiting.scheduler() != scheduler()) {
      throw new IllegalStateException(
          describe()
              + " belongs to another loop; take its toCompletableFuture() there and await that");
    }
    waiting.awaitEvent(event(), deadline, token);
    return outcome();
  }

  public @Nullable Object awaitEvent(EventSource event) {
    renew();
    resumeWhen(event);
    return scheduler().suspend(this);
  }

  /// Waits for an event, at most until a deadline or until a token (null: none) fires.
  public @Nullable Object awaitEvent(EventSource event, Deadline by, @Nullable EventSource token) {
    renewWithTimeout(by, token);
    resumeWhen(event);
    return scheduler().suspend(this);
  }

  public void delay(Duration delay) {
    awaitEvent(tree().timer(tree().nanoTimeAfter(delay)));
  }

  @Override
  public Context ownContext() {
    if (!scheduler().hasEnded()) {
      scheduler().checkOnLoop();
    }
    ColdState r = coldState();
    ContextNode values = r.values;
    if (values == null) {
      values = new ContextNode(scheduler(), () -> ScopeNode.nearestContext(scope));
      r.values = values;
    }
    return values;
  }

  // ---- switch handlers ----

  @Override
  public void addSwitchHandler(SwitchHandler handler) {
    handlersToChange().add(handler, !isStarted());
    setHasSwitchHandlers(true);
  }

  @Override
  public boolean removeSwitchHandler(SwitchHandler handler) {
    boolean removed = handlersToChange().remove(handler);
    updateHasSwitchHandlers();
    return removed;
  }

  private SwitchHandlers handlersToChange() {
    scheduler().checkOnLoop();
    ColdState r = coldState();
    SwitchHandlers handlers = r.handlers;
    if (handlers == null) {
      handlers = new SwitchHandlers();
      r.handlers = handlers;
    }
    handlers.checkIdle(this);
    return handlers;
  }

  public <H extends SwitchHandler> @Nullable H switchHandler(Class<H> kind) {
    ColdState r = coldStateOrNull();
    return r == null || r.handlers == null ? null : r.handlers.find(kind);
  }

  public <R extends @Nullable Object> R assertNoSuspend(Body<R> body) throws Exception {
    Objects.requireNonNull(body, "body");
    StackGuard.requireRoom();
    return new AtomicSection(coldState().section, ownBlock()).run(body, this::enterSection);
  }

  private void enterSection(@Nullable AtomicSection section) {
    coldState().section = section;
    updateHasSwitchHandlers();
  }

  // switches must be reported while there is a section or a handler
  private void updateHasSwitchHandlers() {
    ColdState r = coldState();
    setHasSwitchHandlers(r.section != null || (r.handlers != null && !r.handlers.isEmpty()));
  }

  @Override
  protected void onWatchedLeave() {
    CoroutineWatch watch = tree().watch();
    if (watch != null) { // else the observer has left
      watch.left(this);
    }
  }

  @Override
  protected void onForeignWait(ExecutionContext on) {
    AtomicSection section = coldState().section;
    if (section != null) {
      section.parked(this, on.stackOnLoop());
    }
  }

  @Override
  protected void onSwitch(boolean enter, boolean finishing) {
    ColdState r = coldState();
    if (r.section != null && r.section.intercept(this, ownBlock(), enter, finishing)) {
      return;
    }
    if (r.handlers != null) {
      try {
        r.handlers.notifyAll(this, enter, finishing);
      } finally {
        if (r.handlers.isEmpty()) {
          updateHasSwitchHandlers();
        }
      }
    }
  }

  // ---- views ----

  @Override
  public boolean isDone() {
    return end != NOT_YET;
  }

  @Override
  public boolean isQueued() {
    WakerStatus status = status();
    return status == WakerStatus.QUEUED || status == WakerStatus.IGNORED;
  }

  @Override
  public boolean isSuspended() {
    return isStarted() && !isDone() && currentOrNull() != this;
  }

  @Override
  @SuppressWarnings("unchecked") // what the body returned
  public @Nullable T result() {
    return end == RETURNED ? (T) payload() : null;
  }

  @Override
  public @Nullable Throwable failure() {
    return end == FAILED ? (Throwable) payload() : null;
  }

  @Override
  public List<WaitSnapshot> waits() {
    return tree().host().waitsOf(this);
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public String name() {
    String given = givenName();
    return given == null ? "coroutine-" + id : given;
  }

  @Override
  public Coroutine<T> setHighPriority() {
    scheduler().checkOnLoop();
    raisePriority();
    return this;
  }

  public Object site() {
    return site;
  }

  /// The trace of what this coroutine spawns at a line.
  SpawnTrace spawnsAt(Object line) {
    return SpawnTrace.of(line, id, givenName(), site);
  }

  @Override
  public String describe() {
    // main has no spawner, and its body's class is a wrapper
    return isMain() ? label() : label() + " spawned at " + spawnSite();
  }

  public String label() {
    return label(id, givenName());
  }

  /// The label of a coroutine with that number and name. **Thread** any.
  public static String label(long id, @Nullable String givenName) {
    return SpawnTrace.label(id, givenName);
  }

  public boolean isMain() {
    return id == SpawnTrace.MAIN;
  }

  public String spawnSite() {
    return SpawnSites.describe(site);
  }

  @Override
  public String toString() {
    return describe();
  }

  @Override
  public CompletableFuture<T> toCompletableFuture() {
    scheduler().checkOnLoop();
    return Future.of(this).toCompletableFuture();
  }

  private final class Completion extends EventSource {
    Completion() {
      super(scheduler());
    }

    @Override
    public boolean isClosed() {
      return CoroutineNode.this.isDone();
    }

    @Override
    public void replay(EventCallback callback) {
      if (!CoroutineNode.this.isDone()) {
        super.replay(callback);
      }
      if (end == FAILED && InlineCallback.accepts(callback)) {
        scope.observed(CoroutineNode.this);
      }
      callback.onEvent(this, result(), failure());
    }

    @Override
    protected void onObserversGone() {
      scope.failures().onObserversGone(CoroutineNode.this);
    }

    /// Fires; returns whether a coroutine observes the outcome.
    boolean fireOutcome() {
      boolean awaited = hasObserver(end == FAILED);
      fire(result(), failure());
      return awaited;
    }

    /// Notifies futures of other threads; waiting coroutines cannot run any more.
    void abandon() {
      fireNow(null, failure());
    }

    @Override
    public String info() {
      return label();
    }

    @Override
    public List<CoroutineNode<?>> holders() {
      return List.of(CoroutineNode.this);
    }
  }

  /// The work of a coroutine that another thread has submitted. The coroutine is created on the
  /// trampoline, where it cannot inherit; the work inherits as it begins.
  public interface SubmittedWork extends Action {
    /// For dumps; null: none.
    @Nullable String name();

    /// The class of the body, which is the coroutine's site.
    Class<?> site();

    /// Whether it runs even if it is cancelled before its start; then it begins cancelled.
    default boolean mustBegin() {
      return false;
    }

    /// Called instead of the work when it was cancelled before its start.
    void cancelledBeforeStart();
  }
}
