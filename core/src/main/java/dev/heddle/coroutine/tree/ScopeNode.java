// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.coroutine.CancelMode;
import dev.heddle.coroutine.CompletionHandler;
import dev.heddle.coroutine.Context;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.FailureHandler;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.ScopeBody;
import dev.heddle.coroutine.SpawnStrategy;
import dev.heddle.coroutine.tree.CoroutineNode.SubmittedWork;
import dev.heddle.coroutine.tree.ScopeCancellation.State;
import dev.heddle.coroutine.tree.ScopeFailures.Unobserved;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import dev.heddle.internal.StackGuard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A scope: the public operations, the kinds of scopes, and how each ends. Its parts are its
/// position in the tree ([ScopeLinks]), its cancellation ([ScopeCancellation]), the coroutines that
/// wait for it ([ScopeWaiters]) and its failures ([ScopeFailures]).
public final class ScopeNode implements Scope, Unobserved {
  /*
   * Kinds. A BLOCK ends with its body. An OPENED scope ends when its owner closes it. A CHILD has
   * no owner: it ends when it is cancelled and no member is left, or when no foreground member is
   * left after endWhenEmpty(). The ROOT ends with its loop.
   * States: see ScopeCancellation; failures: see ScopeFailures.
   *
   * Leaving. The owner of a scope leaves it only when no member is left:
   *
   *   body ended ─> failed? cancel all ─> await the foreground ─> cancel the background
   *                 │                     ─> await it ─> CLOSED ─> await the handlers
   *                 └ cancelled while it awaits: cancel all, keep awaiting, throw at the end
   *
   * An owner that cannot wait (a pinned frame, a switch handler that throws) leaves with that
   * failure. The remaining members are cancelled, and the scope then ends as a CHILD does; its
   * parent awaits it.
   *
   * A block throws the first of two throwables, that of its body and the scope's failure; the other
   * one is merged into its report. The scope's failure supersedes a cancellation that the body
   * threw or that the owner met while it awaited, since the failure would be lost otherwise. A
   * cancellation that the owner met is then thrown at the next suspension, since no code has seen
   * it.
   *
   * Threads. The loop's.
   *
   * I1. A CLOSED scope has no members (except past the shutdown deadline). [ScopeTreeTest]
   *
   * Rejected. One class for everything: 1,500 lines, or four superclasses that each permit one
   * subclass. The parts cost two more objects for a scope, none for a coroutine.
   *
   * Sources. loop-14 to loop-18, loop-96, loop-105 to loop-142; trap-17, trap-18, trap-19, trap-22.
   */
  private enum Kind {
    ROOT,
    BLOCK,
    OPENED,
    CHILD
  }

  final CoroutineTree tree;
  final ScopeLinks links;
  final ScopeCancellation cancellation = new ScopeCancellation(this);
  final ScopeWaiters waiters;
  private final boolean supervised;
  private final boolean inherits; // the parent's context
  private final @Nullable ScopeNode outerBlock; // of the owner
  private final @Nullable CancelRegion outerRegion; // the owner's innermost region outside
  private final @Nullable CancelRegion region; // the block's body

  // loop only
  private Kind kind;
  private boolean endsWhenEmpty;
  private @Nullable ScopeFailures failures; // null: no failures and no failure handlers
  private @Nullable Completions<Scope> completions;
  private @Nullable ContextNode context;

  private ScopeNode(
      CoroutineTree tree,
      Kind kind,
      boolean supervised,
      boolean inherits,
      @Nullable ScopeNode parent,
      @Nullable CoroutineNode<?> owner) {
    this.tree = tree;
    this.links = new ScopeLinks(tree, this, parent, owner);
    this.waiters = new ScopeWaiters(this);
    this.kind = kind;
    this.supervised = supervised;
    this.inherits = inherits;
    this.outerBlock = owner == null ? null : owner.ownBlock();
    this.outerRegion = owner == null ? null : owner.innermostRegion();
    this.region = kind == Kind.BLOCK && owner != null ? owner.openRegion() : null;
    if (parent != null) {
      parent.links.linkChild(this);
    }
    if (owner != null) {
      owner.enterScope(this);
    }
  }

  static ScopeNode root(CoroutineTree tree) {
    return new ScopeNode(tree, Kind.ROOT, false, false, null, null);
  }

  public static ScopeNode open() {
    CoroutineNode<?> owner = CoroutineNode.current();
    StackGuard.requireRoom();
    return new ScopeNode(owner.tree(), Kind.OPENED, false, true, owner.currentScope(), owner);
  }

  /// The scope to which spawns go by default: the current one, or the root if the loop stops and
  /// the current one takes no more members.
  public static ScopeNode spawnTarget() {
    ScopeNode current = CoroutineNode.current().currentScope();
    CoroutineTree tree = current.tree;
    return tree.host().isStopping() && !current.isOpen() ? tree.root() : current;
  }

  public static ScopeNode detached() {
    ScopeNode root = CoroutineNode.current().tree().root();
    return new ScopeNode(root.tree, Kind.CHILD, false, false, root, null);
  }

  @Override
  public ScopeNode child() {
    tree.scheduler().checkOnLoop();
    if (!isOpen()) {
      throw notOpenException("open a scope");
    }
    return new ScopeNode(tree, Kind.CHILD, false, true, this, null);
  }

  public static <T extends @Nullable Object> T block(ScopeBody<T> body, boolean supervised)
      throws Exception {
    Objects.requireNonNull(body, "body");
    CoroutineNode<?> owner = CoroutineNode.current();
    StackGuard.requireRoom();
    ScopeNode scope =
        new ScopeNode(owner.tree(), Kind.BLOCK, supervised, true, owner.currentScope(), owner);
    T result = null;
    Throwable thrown = null;
    try {
      result = body.run(scope);
    } catch (Throwable e) {
      thrown = e;
    }
    Throwable outcome = scope.waiters.endBlock(owner, thrown);
    if (outcome != null) {
      throw Rethrow.unchecked(CoroutineException.of(outcome));
    }
    return asResult(result);
  }

  @SuppressWarnings("NullAway") // null exactly when T allows it
  private static <T extends @Nullable Object> T asResult(@Nullable T value) {
    return value;
  }

  // ---- members ----

  @Override
  public <T extends @Nullable Object> Coroutine<T> spawn(Body<T> body) {
    return add(null, body, false);
  }

  @Override
  public <T extends @Nullable Object> Coroutine<T> spawn(String name, Body<T> body) {
    return add(Objects.requireNonNull(name, "name"), body, false);
  }

  @Override
  public Coroutine<@Nullable Void> spawn(Action action) {
    return add(null, action, false);
  }

  @Override
  public Coroutine<@Nullable Void> spawn(String name, Action action) {
    return add(Objects.requireNonNull(name, "name"), action, false);
  }

  @Override
  public void launch(String name, Action action) {
    add(Objects.requireNonNull(name, "name"), action, false);
  }

  @Override
  public void background(String name, Action action) {
    var _ = addBackground(name, action);
  }

  /// Starts a background member, and returns it. Else as [#background(String, Action)].
  public Coroutine<@Nullable Void> addBackground(String name, Action action) {
    return add(Objects.requireNonNull(name, "name"), action, true);
  }

  private <T extends @Nullable Object> CoroutineNode<T> add(
      @Nullable String name, Object work, boolean inBackground) {
    CoroutineNode<T> member = newMember(name, work, inBackground);
    admit(member);
    return member;
  }

  /// Adds a coroutine that was created for this scope, and queues it.
  public void admit(CoroutineNode<?> member) {
    links.admit(member);
  }

  private <T extends @Nullable Object> CoroutineNode<T> newMember(
      @Nullable String name, Object work, boolean inBackground) {
    Objects.requireNonNull(work, "body");
    tree.scheduler().checkOnLoop();
    checkOpen(name);
    return new CoroutineNode<>(tree, this, name, work, inBackground, false);
  }

  public boolean isOpen() {
    return state() == State.OPEN && !tree.isPastDeadline();
  }

  /// Throws if the scope is closed or cancelled, or the loop is past its shutdown deadline.
  void checkOpen(@Nullable String name) {
    if (!isOpen()) {
      throw notOpenException("spawn " + (name == null ? "a coroutine" : "'" + name + "'"));
    }
  }

  private IllegalStateException notOpenException(String what) {
    CoroutineNode<?> current = CoroutineNode.currentOrNull();
    if (current != null) {
      current.throwPending(); // the caller's own cancellation comes first
    }
    String where =
        switch (state()) {
          case OPEN -> "loop past its deadline";
          case DRAINING, CANCELLED -> "cancelled scope (" + cancellation.reason() + ")";
          case CLOSED -> "closed scope";
        };
    return new IllegalStateException(
        "cannot " + what + " in a " + where + "; do it before it ends, or open a new one");
  }

  /// Creates a coroutine that may become a member later, perhaps in a tick.
  CoroutineNode<?> prepare(Action work, SpawnTrace from) {
    return new CoroutineNode<@Nullable Void>(tree, this, null, work, false, false, from);
  }

  public <T extends @Nullable Object> Coroutine<T> spawn(SpawnStrategy strategy, Body<T> body) {
    CoroutineNode<T> member = newMember(null, body, false);
    strategy.beforeEnqueue(member, this);
    checkOpen(null); // the strategy may have suspended
    admit(member);
    member.skipIfCancelled();
    try {
      strategy.afterEnqueue(member, this);
    } catch (Throwable e) {
      member.cancel("its spawn strategy failed");
      throw e;
    }
    return member;
  }

  public <T extends @Nullable Object> CoroutineNode<T> newMain(Object work) {
    return new CoroutineNode<>(tree, this, "main", work, false, false, work.getClass());
  }

  /// Creates a coroutine that another thread has submitted; [#admit] starts it.
  public CoroutineNode<?> newSubmitted(SubmittedWork asked) {
    return new CoroutineNode<@Nullable Void>(
        tree, this, asked.name(), asked, false, false, asked.site());
  }

  /// Creates an internal coroutine, perhaps in a tick; [#admit] starts it in any state of the
  /// scope.
  public CoroutineNode<?> newInternal(String name, Action work) {
    return new CoroutineNode<@Nullable Void>(tree, this, name, work, false, true);
  }

  /// Called when a member has ended.
  ///
  /// @param failed its failure; null if it succeeded or was cancelled
  /// @param taken whether the outcome was observed
  /// @param asked its completion handlers; scope and loop stay alive until they have run
  void memberEnded(
      CoroutineNode<?> member,
      @Nullable Throwable failed,
      boolean taken,
      @Nullable Completions<Coroutine<?>> asked) {
    tree.host().ended(member);
    links.unlink(member);
    if (failed != null && FailureTable.isFatal(failed)) {
      tree.host().failed(failed);
    } else {
      if (failed != null && !taken) {
        failures().unobserved(member, failed);
      }
      if (asked != null) {
        failures().complete(member, asked, member);
      }
    }
    links.countOff(member);
  }

  // ---- handlers ----

  @Override
  public void handleFailures(FailureHandler handler) {
    Objects.requireNonNull(handler, "handler");
    tree.scheduler().checkOnLoop();
    failures().handleWith(handler);
  }

  @Override
  public void handleChildFailures(FailureHandler handler) {
    Objects.requireNonNull(handler, "handler");
    tree.scheduler().checkOnLoop();
    failures().handleChildrenWith(handler);
  }

  @Override
  public void onCompletion(CompletionHandler<? super Scope> handler) {
    Objects.requireNonNull(handler, "handler");
    tree.scheduler().checkOnLoop();
    refuseAtRoot("takes no completion handlers", "use Heddle.onShutdown");
    if (state() == State.CLOSED) {
      Completions.runInPlace(handler, this);
      return;
    }
    if (completions == null) {
      completions = new Completions<>();
    }
    completions.add(handler);
  }

  // ---- cancelling ----

  State state() {
    return cancellation.state();
  }

  @Override
  public boolean isCancelled() {
    return cancellation.isCancelled();
  }

  @Override
  public void cancel(String why) {
    cancellation.cancel(why, CancelMode.ALL);
  }

  @Override
  public void cancel(String why, CancelMode mode) {
    cancellation.cancel(why, mode);
  }

  @Override
  public void cancelAfter(Duration delay) {
    cancellation.cancelAfter(delay);
  }

  /// Cancels every member of this scope and of those below; no member can join any more, except at
  /// the root.
  public void cancelMembers(Cancellation c) {
    cancellation.cancelMembers(c);
  }

  /// Cancels the draining members, if there are any, because nothing else can continue.
  public boolean cancelWhatMayFinish(Cancellation c) {
    return cancellation.cancelDraining(c);
  }

  void refuseAtRoot(String what) {
    refuseAtRoot(what, "Heddle.shutdown stops it");
  }

  private void refuseAtRoot(String what, String instead) {
    if (links.parent == null) {
      throw new IllegalStateException(
          "the root scope " + what + ": it ends with its loop; " + instead);
    }
  }

  // ---- waiting ----

  @Override
  public void join() {
    waiters.join(Deadline.never(), null);
  }

  @Override
  public void join(Deadline deadline) {
    waiters.join(deadline, null);
  }

  @Override
  public void join(Awaitable<?> token) {
    waiters.join(Deadline.never(), EventSource.of(token));
  }

  @Override
  public void awaitCancelled() {
    waiters.awaitCancelled(Deadline.never(), null);
  }

  @Override
  public void awaitCancelled(Deadline deadline) {
    waiters.awaitCancelled(deadline, null);
  }

  @Override
  public void awaitCancelled(Awaitable<?> token) {
    waiters.awaitCancelled(Deadline.never(), EventSource.of(token));
  }

  @Override
  public void awaitCancelled(FailureHandler handler) throws Exception {
    waiters.awaitCancelled(handler);
  }

  @Override
  public Event event() {
    return waiters.ended();
  }

  // ---- the end ----

  /// Called when no foreground member, or no background member, is left.
  void drained() {
    waiters.drained();
    closeIfOver();
  }

  /// Closes it if no member is left and it needs no owner for that.
  void closeIfOver() {
    if (links.foreground() > 0) {
      return;
    }
    boolean drains = state() == State.DRAINING || (endsWhenEmpty && state() == State.OPEN);
    if (drains && links.background() > 0) {
      cancelMembers(new Cancellation("everything else is done"));
    } else if (isUnowned() && (isCancelled() || endsWhenEmpty) && isEmptyAndNotClosed()) {
      closeTree();
    }
  }

  private boolean isEmptyAndNotClosed() {
    return state() != State.CLOSED && links.isEmpty();
  }

  /// Ends a child scope as soon as no foreground member is left; until then its members may start
  /// others. **Suspends** never.
  public void endWhenEmpty() {
    endsWhenEmpty = true;
    closeIfOver();
  }

  /// Closes it and the scopes below: no member is left, and none can be added.
  private void closeTree() {
    List<ScopeNode> below = new ArrayList<>();
    for (ScopeNode s = this; s != null; s = s.nextIn(this, true)) {
      below.add(s);
    }
    below.reversed().forEach(ScopeNode::closeSelf);
  }

  private void closeSelf() {
    cancellation.becomeClosed();
    if (failures != null) {
      failures.reportUnobserved();
    }
    if (!links.isEmpty()) {
      return; // past the shutdown deadline: reports must still find the members
    }
    if (links.parent != null) {
      links.parent.links.unlinkChild(this);
    }
    if (completions != null) {
      failures().complete(this, completions, null);
    }
    waiters.fireEnded();
  }

  @Override
  public void close() {
    waiters.close();
  }

  /// Called when the owner leaves it; returns what the wait for its handlers threw.
  @Nullable Throwable leave(CoroutineNode<?> owner) {
    Throwable met = null;
    if (links.isEmpty() || tree.isPastDeadline()) {
      closeTree();
      met = waiters.awaitAllShielded(owner); // its handlers
    }
    owner.enterScope(outerBlock);
    if (kind == Kind.OPENED && failures != null) {
      failures.ownerLeaves();
    }
    if (!links.isEmpty() && !tree.isPastDeadline()) {
      cancelMembers(new Cancellation("its owner could not wait for it"));
      kind = Kind.CHILD;
      links.countInParent();
    }
    return met;
  }

  // ---- views ----

  @Override
  public Context context() {
    ContextNode c = context;
    if (c == null) {
      ScopeNode above = inheritsFrom();
      c = new ContextNode(tree.scheduler(), () -> nearestContext(above));
      context = c;
    }
    return c;
  }

  private @Nullable ScopeNode inheritsFrom() {
    return inherits ? links.parent : null;
  }

  /// The nearest existing context of a scope or of those from which it inherits.
  static @Nullable ContextNode nearestContext(@Nullable ScopeNode from) {
    for (ScopeNode s = from; s != null; s = s.inheritsFrom()) {
      if (s.context != null) {
        return s.context;
      }
    }
    return null;
  }

  @Override
  public List<Scope> children() {
    return List.copyOf(links.children());
  }

  public List<CoroutineNode<?>> members() {
    return links.members();
  }

  /// Calls `action` with each member; it changes none of them.
  public void forEachMember(Consumer<CoroutineNode<?>> action) {
    for (CoroutineNode<?> m = links.firstMember(); m != null; m = m.next) {
      action.accept(m);
    }
  }

  public List<CoroutineNode<?>> ownMembers() {
    return links.ownMembers();
  }

  /// The scope after this one in a pre-order traversal of `top` and all scopes below it; not
  /// recursive, since trees may be deeper than stacks.
  ///
  /// @param below whether to descend into this one
  public @Nullable ScopeNode nextIn(ScopeNode top, boolean below) {
    return links.nextIn(top, below);
  }

  public @Nullable ScopeNode parent() {
    return links.parent;
  }

  /// Why it was cancelled; null: it was not.
  public @Nullable String cancelReason() {
    return cancellation.reason();
  }

  /// The coroutine that opened it; null: it ends by itself.
  public @Nullable CoroutineNode<?> owner() {
    return links.owner;
  }

  /// Whether it was opened inside a region of its owner.
  boolean isInside(CancelRegion outer) {
    return outerRegion != null && (outerRegion == outer || outerRegion.isInside(outer));
  }

  @Nullable ScopeNode outerBlock() {
    return outerBlock;
  }

  @Override
  public @Nullable Throwable failure() {
    return failures == null ? null : failures.failure();
  }

  ScopeFailures failures() {
    ScopeFailures f = failures;
    if (f == null) {
      f = new ScopeFailures(this);
      failures = f;
    }
    return f;
  }

  @Nullable ScopeFailures failuresOrNull() {
    return failures;
  }

  void observed(Unobserved holder) {
    if (failures != null) {
      failures.observed(holder);
    }
  }

  boolean isSupervised() {
    return supervised;
  }

  /// Whether it has no owner and ends by itself.
  boolean isUnowned() {
    return kind == Kind.CHILD;
  }

  /// Whether its owner ends it by a call.
  boolean isOpened() {
    return kind == Kind.OPENED;
  }

  /// Whether it ends with its body.
  boolean isBlock() {
    return kind == Kind.BLOCK;
  }

  /// The region of the block's body; null: it is no block.
  @Nullable CancelRegion region() {
    return region;
  }

  @Override
  public boolean isClosed() {
    return state() == State.CLOSED;
  }

  @Override
  public String describe() {
    return switch (kind) {
      case ROOT -> "root scope";
      case BLOCK, OPENED -> supervised ? "supervised scope" : "scope";
      case CHILD -> "child scope";
    };
  }

  @Override
  public String toString() {
    return links.owner == null ? describe() : describe() + " of " + links.owner.describe();
  }
}
