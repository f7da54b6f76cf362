// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineFailure;
import dev.heddle.coroutine.CompletionHandler;
import dev.heddle.coroutine.Context;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.FailureHandler;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.ScopeBody;
import dev.heddle.coroutine.SpawnStrategy;
import dev.heddle.coroutine.tree.ScopeFailures.Untaken;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import dev.heddle.internal.StackReserve;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A scope: its members, their failures, and its end. Its place in the tree is the [Branch].
public final class ScopeNode extends AwaitedBranch implements Scope, Untaken {
  /*
   * Kinds. A BLOCK ends as its body does, an OPENED scope when its owner closes it, a CHILD, which nobody owns, when it has been
   * cancelled and nothing of it is left. The ROOT ends with its loop. States: see CancellableBranch; failures: see ScopeFailures.
   *
   * Leaving. Whoever owns it leaves only when nothing of it is left:
   *
   *   body ended ─> failed? cancel all ─> await the foreground ─> cancel the background ─> await it ─> CLOSED ─> await the handlers
   *                 └ cancelled while it awaits: cancel all, go on awaiting, throw the cancellation at the end
   *
   * An owner that cannot wait (a pinned frame, a switch handler that throws) leaves all the same, with that failure. Who is left is
   * cancelled, and the scope ends as a CHILD does; the scope above awaits it.
   *
   * A block throws what came first: what its body threw, or the scope's failure; the other is merged into the report of that one. A
   * cancellation that its body threw, or that it met while it awaited, gives way to the scope's failure, which would else be lost.
   * One that it met is then thrown at the next suspension: nobody has seen it.
   *
   * Threads. The loop's.
   *
   * I1. Nothing is left of a CLOSED scope (but past the shutdown deadline). [ScopeTreeTest]
   *
   * Sources. DESIGN 3.6; behaviour 14-18, 96, 105-142; traps 17, 18, 19, 22.
   */
  private enum Kind {
    ROOT,
    BLOCK,
    OPENED,
    CHILD
  }

  private final boolean supervised;
  private final boolean inherits; // the context of the scope above
  private final @Nullable ScopeNode outerBlock; // of the owner
  private final @Nullable CancelRegion around; // the owner's innermost region outside
  private final @Nullable CancelRegion region; // the block's body

  // loop only
  private Kind kind;
  private @Nullable ScopeFailures failures; // null: it has none, and no handlers for them
  private @Nullable Completions<Scope> completions;
  private @Nullable ContextNode context;

  private ScopeNode(
      LoopRoot loop,
      Kind kind,
      boolean supervised,
      boolean inherits,
      @Nullable ScopeNode parent,
      @Nullable CoroutineNode<?> owner) {
    super(loop, parent, owner);
    this.kind = kind;
    this.supervised = supervised;
    this.inherits = inherits;
    this.outerBlock = owner == null ? null : owner.ownBlock();
    this.around = owner == null ? null : owner.innermostRegion();
    this.region = kind == Kind.BLOCK && owner != null ? owner.openRegion() : null;
    if (parent != null) {
      parent.linkChild(this);
    }
    if (owner != null) {
      owner.enterScope(this);
    }
  }

  static ScopeNode root(LoopRoot loop) {
    return new ScopeNode(loop, Kind.ROOT, false, false, null, null);
  }

  /// A scope for try-with-resources, owned by the current coroutine.
  public static ScopeNode open() {
    CoroutineNode<?> owner = CoroutineNode.current();
    StackReserve.require();
    return new ScopeNode(owner.loop(), Kind.OPENED, false, true, owner.currentScope(), owner);
  }

  /// Where a spawn without a scope goes: into the current one, or, where that takes no more because
  /// the loop stops, into the root.
  public static ScopeNode ofSpawn() {
    ScopeNode current = CoroutineNode.current().currentScope();
    LoopRoot loop = current.loop;
    return loop.shutdown().isStopping() && !current.isOpen() ? loop.root() : current;
  }

  /// A scope below the root that inherits no context.
  public static ScopeNode detached() {
    ScopeNode root = CoroutineNode.current().loop().root();
    return new ScopeNode(root.loop, Kind.CHILD, false, false, root, null);
  }

  @Override
  public Scope child() {
    loop.scheduler().checkOnLoop();
    if (!isOpen()) {
      throw over("open a scope");
    }
    return new ScopeNode(loop, Kind.CHILD, false, true, this, null);
  }

  /// Runs a scope block in the current coroutine.
  public static <T extends @Nullable Object> T block(ScopeBody<T> body, boolean supervised)
      throws Exception {
    Objects.requireNonNull(body, "body");
    CoroutineNode<?> owner = CoroutineNode.current();
    StackReserve.require();
    ScopeNode scope =
        new ScopeNode(owner.loop(), Kind.BLOCK, supervised, true, owner.currentScope(), owner);
    T result = null;
    Throwable thrown = null;
    try {
      result = body.run(scope);
    } catch (Throwable e) {
      thrown = e;
    }
    Throwable outcome = scope.endBlock(owner, thrown);
    if (outcome != null) {
      throw Rethrow.unchecked(CoroutineFailure.of(outcome));
    }
    return LoopRoot.asResult(result);
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
    add(Objects.requireNonNull(name, "name"), action, true);
  }

  private <T extends @Nullable Object> CoroutineNode<T> add(
      @Nullable String name, Object work, boolean inBackground) {
    CoroutineNode<T> member = newMember(name, work, inBackground);
    admit(member);
    return member;
  }

  private <T extends @Nullable Object> CoroutineNode<T> newMember(
      @Nullable String name, Object work, boolean inBackground) {
    Objects.requireNonNull(work, "body");
    loop.scheduler().checkOnLoop();
    checkOpen(name);
    return new CoroutineNode<>(loop, this, name, work, inBackground, false);
  }

  /// Whether it takes new members.
  public boolean isOpen() {
    return state() == State.OPEN && !loop.isPastDeadline();
  }

  /// Refuses a new member unless it is open.
  ///
  /// @throws IllegalStateException when the scope is closed or cancelled, or the loop's time is
  ///   over
  void checkOpen(@Nullable String name) {
    if (!isOpen()) {
      throw over("spawn " + (name == null ? "a coroutine" : "'" + name + "'"));
    }
  }

  private IllegalStateException over(String what) {
    CoroutineNode<?> current = CoroutineNode.currentOrNull();
    if (current != null) {
      current.throwPending(); // that the scope is over is then no news of its own
    }
    String where =
        switch (state()) {
          case OPEN -> "loop past its deadline";
          case LETTING, CANCELLED -> "cancelled scope (" + reason() + ")";
          case CLOSED -> "closed scope";
        };
    return new IllegalStateException(
        "cannot " + what + " in a " + where + "; do it before it ends, or open a new one");
  }

  /// Makes a coroutine that may become a member later, perhaps in a tick.
  ///
  /// @param from the body's class, or the frame of the spawn
  CoroutineNode<?> prepare(Action work, Object from, @Nullable SpawnTrace spawner) {
    return new CoroutineNode<@Nullable Void>(loop, this, null, work, false, false, from, spawner);
  }

  /// Spawns as a strategy wants it.
  public <T extends @Nullable Object> Coroutine<T> spawn(SpawnStrategy strategy, Body<T> body) {
    CoroutineNode<T> member = newMember(null, body, false);
    strategy.beforeEnqueue(member, this);
    checkOpen(null); // the strategy may have waited
    admit(member);
    member.ignoreIfCancelled();
    try {
      strategy.afterEnqueue(member, this);
    } catch (Throwable e) {
      member.cancel("its spawn strategy failed");
      throw e;
    }
    return member;
  }

  /// The main coroutine, which [#admit] starts.
  <T extends @Nullable Object> CoroutineNode<T> newMain(Object work) {
    return new CoroutineNode<>(loop, this, "main", work, false, false);
  }

  /// One that another thread has asked for, which [#admit] starts.
  CoroutineNode<?> newSubmitted(SpawnRequest<?> asked) {
    return new CoroutineNode<@Nullable Void>(
        loop, this, asked.name(), asked, false, false, asked.site(), null);
  }

  /// One of the loop's own, made perhaps in a tick; [#admit] starts it, whatever the scope's state.
  CoroutineNode<?> newOwn(String name, Action work) {
    return new CoroutineNode<@Nullable Void>(loop, this, name, work, false, true);
  }

  /// A member has ended.
  ///
  /// @param failed with what, unless it succeeded or was cancelled
  /// @param taken whether somebody awaited it
  /// @param asked its completion handlers, which keep scope and loop until they have run
  void memberEnded(
      CoroutineNode<?> member,
      @Nullable Throwable failed,
      boolean taken,
      @Nullable Completions<Coroutine<?>> asked) {
    loop.watch().ended(member);
    unlink(member);
    if (failed != null && FailureTable.isFatal(failed)) {
      loop.shutdown().failed(failed);
    } else {
      if (failed != null && !taken) {
        failures().unobserved(member, failed);
      }
      if (asked != null) {
        failures().complete(member, asked, member);
      }
    }
    countOff(member);
  }

  // ---- handlers ----

  @Override
  public void handleFailures(FailureHandler handler) {
    Objects.requireNonNull(handler, "handler");
    loop.scheduler().checkOnLoop();
    failures().handleWith(handler);
  }

  @Override
  public void handleChildFailures(FailureHandler handler) {
    Objects.requireNonNull(handler, "handler");
    loop.scheduler().checkOnLoop();
    failures().handleChildrenWith(handler);
  }

  @Override
  public void onCompletion(CompletionHandler<? super Scope> handler) {
    Objects.requireNonNull(handler, "handler");
    loop.scheduler().checkOnLoop();
    refuseAtRoot("takes no completion handlers", "use Heddle.onShutdown");
    if (state() == State.CLOSED) {
      Completions.runHere(handler, this);
      return;
    }
    if (completions == null) {
      completions = new Completions<>();
    }
    completions.add(handler);
  }

  // ---- the end ----

  @Override
  void closeIfOver() {
    if (foreground() > 0) {
      return;
    }
    if (state() == State.LETTING && background() > 0) {
      cancelMembers(new Cancellation("everything else is done"));
    } else if (isUnowned() && isCancelled() && state() != State.CLOSED && isEmpty()) {
      conclude();
    }
  }

  /// Nothing of it is left, and nothing may come: it is closed, and the scopes below with it.
  private void conclude() {
    List<ScopeNode> below = new ArrayList<>();
    for (ScopeNode s = this; s != null; s = s.nextIn(this, true)) {
      below.add(s);
    }
    below.reversed().forEach(ScopeNode::concludeAlone);
  }

  private void concludeAlone() {
    becomeClosed();
    if (failures != null) {
      failures.reportUntaken();
    }
    if (!isEmpty()) {
      return; // past the shutdown deadline: reports still have to find who is left
    }
    if (parent != null) {
      parent.unlinkChild(this);
    }
    if (completions != null) {
      failures().complete(this, completions, null);
    }
    tellOfItsEnd();
  }

  private @Nullable Throwable endBlock(CoroutineNode<?> owning, @Nullable Throwable bodyThrew) {
    Throwable left = closeInner(owning);
    Throwable threw = Precedence.earlier(bodyThrew, left);
    boolean failedBefore = failure() != null;
    closeRegion(owning);
    if (threw != null) {
      cancelMembers(because("the body of the scope failed: ", threw));
    }
    Throwable met = awaitMembers(owning);
    met = Precedence.met(owning, met, leave(owning));
    Throwable failed = failures == null ? null : failures.takeAll();
    Throwable body = Precedence.earlier(threw, met);
    Throwable outcome =
        failedBefore && !Precedence.givesWay(body)
            ? Precedence.ofScope(failed, body)
            : Precedence.first(body, failed);
    owning.postpone(left, outcome);
    owning.postpone(met, outcome);
    return outcome;
  }

  // no `+`: linking it takes more stack than there may be
  private static Cancellation because(String what, Throwable of) {
    return of instanceof Cancellation c
        ? c
        : new Cancellation(what.concat(of.getClass().getName()), of);
  }

  private @Nullable Throwable awaitMembers(CoroutineNode<?> owning) {
    Throwable met = awaitForeground(owning);
    if (met != null) {
      cancelMembers(because("its owner cannot wait for it: ", met));
    }
    if (foreground() == 0 && background() > 0) {
      cancelBackground();
    }
    return Precedence.met(owning, met, awaitAllShielded(owning));
  }

  @Override
  public void close() {
    Throwable threw = null;
    if (isUnowned()) {
      threw = endUnowned(refuseInside());
    } else if (state() != State.CLOSED) {
      threw = closeFor(refuseOthers());
    }
    if (threw != null) {
      throw Rethrow.unchecked(threw);
    }
  }

  private @Nullable Throwable endUnowned(CoroutineNode<?> closing) {
    Throwable met = awaitTheRest(closing);
    closeIfOver();
    return Precedence.met(closing, met, awaitAllShielded(closing)); // its handlers
  }

  // those that were left to finish may do so, unless whoever closes is cancelled
  private @Nullable Throwable awaitTheRest(CoroutineNode<?> closing) {
    if (state() == State.LETTING) {
      return awaitMembers(closing);
    }
    cancelMembers(new Cancellation("the scope was closed"));
    return awaitAllShielded(closing);
  }

  /// Ends an opened scope: its owner leaves.
  ///
  /// @return what is to be thrown for it
  @Nullable Throwable closeFor(CoroutineNode<?> closing) {
    assert kind == Kind.OPENED : "a block ends by itself: " + this;
    Throwable met = closeInner(closing);
    met = Precedence.met(closing, met, isEmpty() ? null : awaitTheRest(closing));
    met = Precedence.met(closing, met, leave(closing));
    Throwable outcome = Precedence.first(met, failures == null ? null : failures.late());
    closing.postpone(met, outcome);
    return outcome;
  }

  // scopes opened inside this one and left open
  private @Nullable Throwable closeInner(CoroutineNode<?> owning) {
    Throwable threw = null;
    for (ScopeNode inner = owning.ownBlock();
        inner != null && inner != this;
        inner = owning.ownBlock()) {
      threw = Precedence.first(threw, inner.closeFor(owning));
    }
    return threw;
  }

  private void closeRegion(CoroutineNode<?> owning) {
    if (region != null) {
      // the body is over: a member's failure has nothing left to cancel here
      owning.closeRegion(region);
    }
  }

  private CoroutineNode<?> refuseOthers() {
    refuseAtRoot("cannot be closed");
    CoroutineNode<?> closing = CoroutineNode.current();
    if (closing != owner) {
      throw new IllegalStateException(
          "a scope is closed by the coroutine that opened it: " + owner);
    }
    if (kind == Kind.BLOCK) {
      throw new IllegalStateException("a scope block ends by itself; cancel() ends its members");
    }
    for (ScopeNode inner = closing.ownBlock();
        inner != null && inner != this;
        inner = inner.outerBlock) {
      if (inner.kind == Kind.BLOCK) {
        throw new IllegalStateException(
            "the scope was closed from inside a block that it encloses; close it after the block");
      }
    }
    return closing;
  }

  private @Nullable Throwable leave(CoroutineNode<?> owning) {
    Throwable met = null;
    if (isEmpty() || loop.isPastDeadline()) {
      conclude();
      met = awaitAllShielded(owning); // its handlers
    }
    owning.enterScope(outerBlock);
    if (kind == Kind.OPENED && failures != null) {
      failures.ownerLeaves();
    }
    if (!isEmpty() && !loop.isPastDeadline()) {
      cancelMembers(new Cancellation("its owner could not wait for it"));
      kind = Kind.CHILD;
      countAbove();
    }
    return met;
  }

  // ---- views ----

  @Override
  public Context context() {
    ContextNode c = context;
    if (c == null) {
      c = new ContextNode(loop, inheritsFrom());
      context = c;
    }
    return c;
  }

  @Nullable ContextNode contextOrNull() {
    return context;
  }

  @Nullable ScopeNode inheritsFrom() {
    return inherits ? parent : null;
  }

  @Override
  public List<Scope> children() {
    return List.copyOf(childNodes());
  }

  LoopRoot loop() {
    return loop;
  }

  @Nullable CoroutineNode<?> owner() {
    return owner;
  }

  /// Whether it was opened inside a region of its owner.
  boolean isInside(CancelRegion outer) {
    for (CancelRegion r = around; r != null; r = r.outer) {
      if (r == outer) {
        return true;
      }
    }
    return false;
  }

  /// The scope around it that the same coroutine has opened.
  @Nullable ScopeNode outerBlock() {
    return outerBlock;
  }

  @Override
  public @Nullable Throwable failure() {
    return failures == null ? null : failures.failure();
  }

  /// What its failures do, made at the first.
  @Override
  ScopeFailures failures() {
    ScopeFailures f = failures;
    if (f == null) {
      f = new ScopeFailures(this);
      failures = f;
    }
    return f;
  }

  @Override
  @Nullable ScopeFailures failuresOrNull() {
    return failures;
  }

  /// Somebody took what was kept here.
  void taken(Untaken holder) {
    if (failures != null) {
      failures.taken(holder);
    }
  }

  boolean isSupervised() {
    return supervised;
  }

  /// Whether no coroutine owns it: it ends by itself.
  boolean isUnowned() {
    return kind == Kind.CHILD;
  }

  @Override
  @Nullable CancelRegion region() {
    return region;
  }

  @Override
  boolean isOpened() {
    return kind == Kind.OPENED;
  }

  @Override
  ScopeNode self() {
    return this;
  }

  @Override
  public boolean isClosed() {
    return state() == State.CLOSED;
  }

  /// What it is, in a few words, for reports.
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
    return owner == null ? describe() : describe() + " of " + owner.describe();
  }
}
