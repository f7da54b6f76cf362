// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineFailure;
import dev.heddle.LoopEndedException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.SwitchHandler;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.EventCallback;
import dev.heddle.event.InlineCallback;
import dev.heddle.failure.FailureTable;
import dev.heddle.observe.WaitSnapshot;
import dev.heddle.scheduler.WakerStatus;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.Inheritance;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A coroutine: its body, its outcome, and its place in the tree.
public final class CoroutineNode<T extends @Nullable Object> extends CancellableNode
    implements Coroutine<T> {
  private final ScopeNode scope;
  final long id;
  final @Nullable String name;
  final Object site; // the body's class, or the trace of the spawn
  final boolean background;
  private final boolean runtimesOwn;

  // loop only
  private @Nullable Object work; // until it starts: a Body or an Action, or Heir of one
  @Nullable CoroutineNode<?> previous;
  @Nullable CoroutineNode<?> next;
  private boolean done;
  private boolean failed;
  private @Nullable Object outcome; // what it returned, or what it failed with
  private @Nullable Completion completion;
  // the innermost scope it has opened; null: the scope it is a member of
  private @Nullable ScopeNode currentScope;
  private @Nullable List<SwitchHandler> handlers;
  private boolean inHandlers;

  CoroutineNode(
      LoopRoot loop,
      ScopeNode scope,
      @Nullable String name,
      Object work,
      boolean background,
      boolean runtimesOwn) {
    // the runtime's own may be made in a tick, on the stack of a coroutine that has nothing to do
    // with it
    this(
        loop,
        scope,
        name,
        work,
        background,
        runtimesOwn,
        loop.options().exactSites() && !runtimesOwn ? SpawnSites.caller() : work.getClass(),
        loop.options().exactSites() && !runtimesOwn ? spawner() : null);
  }

  /// One of which the caller knows better where it comes from.
  ///
  /// @param from the body's class, or the frame of the spawn
  CoroutineNode(
      LoopRoot loop,
      ScopeNode scope,
      @Nullable String name,
      Object work,
      boolean background,
      boolean runtimesOwn,
      Object from,
      @Nullable SpawnTrace spawner) {
    super(loop.scheduler());
    this.scope = scope;
    this.name = name;
    this.background = background;
    this.runtimesOwn = runtimesOwn;
    this.id = loop.nextId();
    this.site = from instanceof Class<?> ? from : SpawnTrace.of(id, name, from, spawner);
    Inheritance taken = runtimesOwn ? null : Inheritance.ofCurrentThread(loop.ordinaryLoader());
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

  @Override
  public LoopRoot loop() {
    return scope.loop();
  }

  /// The scope that it belongs to.
  ScopeNode memberOf() {
    return scope;
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

  static @Nullable SpawnTrace spawner() {
    CoroutineNode<?> current = currentOrNull();
    return current != null && current.site instanceof SpawnTrace trace ? trace : null;
  }

  /// Where it was spawned and by whom, as far as is known.
  SpawnTrace spawnTrace() {
    return site instanceof SpawnTrace trace ? trace : SpawnTrace.ofOwners(this);
  }

  // ---- its life ----

  /// A notification is delivered whatever happens to the loop; others wait for it.
  @Override
  void cancelFromTree(Cancellation c) {
    if (!runtimesOwn || loop().isPastDeadline()) {
      super.cancelFromTree(c);
    }
  }

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
      currentScope.closeFor(this);
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
    Cancellation cancelled = endedBy(thrown);
    if (cancelled != null) {
      endFailed(cancelled);
    } else if (thrown != null) {
      Throwable failure = CoroutineFailure.of(thrown);
      FailureTable.cameFrom(failure, this::spawnTrace);
      endFailed(failure);
    } else {
      outcome = returned;
    }
    closeWhole();
    done = true;
    boolean taken = completion != null && completion.tell();
    scope.memberEnded(this, cancelled == null ? failure() : null, taken);
  }

  private void endFailed(Throwable with) {
    failed = true;
    outcome = with;
  }

  /// The loop has ended without it: whoever holds a future of it learns that.
  void abandon() {
    endFailed(
        new LoopEndedException(
            describe() + " did not end by the shutdown deadline and was abandoned"));
    done = true;
    if (completion != null) {
      completion.abandon();
    }
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
    Event end = token.event(); // also where it is not needed: that is a use of the token
    return done ? outcome() : awaitUntil(end, Role.CANCEL);
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

  /// Ends a coroutine that works for this one: cancels it and waits, whatever happens, until it has
  /// ended. It has nobody left to fail for: that is reported.
  public void end(Coroutine<?> servant, String why) {
    servant.cancel(why);
    shield();
    try {
      servant.await();
    } catch (Cancellation _) {
      // safe: its own; this one's waits for the end of the shield
    } catch (RuntimeException | Error e) {
      loop().report(servant + " failed after it had been told to end", e);
    } finally {
      unshield();
    }
  }

  /// Waits until `deadline` on the scale of [System#nanoTime()].
  public void delayUntil(long deadline) {
    awaitEvent(loop().timer(deadline));
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
  public List<WaitSnapshot> waits() {
    return DumpTaker.waits(this);
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

  /// Where it was spawned, for [SpawnSites#describe].
  Object site() {
    return site;
  }

  @Override
  public String describe() {
    // nobody has spawned main, and the class that wraps its body would say nothing
    return isMain() ? label() : label() + " spawned at " + spawnSite();
  }

  /// Number and name, as reports call it.
  public String label() {
    return SpawnTrace.label(id, name);
  }

  boolean isMain() {
    return id == SpawnTrace.MAIN;
  }

  String spawnSite() {
    return SpawnSites.describe(site);
  }

  /// The scopes it has opened, the outermost first.
  List<ScopeNode> openScopes() {
    List<ScopeNode> found = new ArrayList<>();
    for (ScopeNode inner = currentScope; inner != null; inner = inner.outerBlock()) {
      found.addFirst(inner);
    }
    return found;
  }

  @Override
  public String toString() {
    return describe();
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
      if (failed && InlineCallback.takes(callback)) {
        scope.taken(CoroutineNode.this);
      }
      callback.onEvent(this, result(), failure());
    }

    /// Whether somebody waits, who then takes the outcome.
    boolean tell() {
      boolean awaited = hasTaker();
      fire(result(), failure());
      return awaited;
    }

    /// Tells futures of other threads; coroutines have nobody left to run them.
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
}
