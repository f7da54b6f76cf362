// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineFailure;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.ScopeBody;
import dev.heddle.event.Event;
import dev.heddle.scheduler.StackReserve;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A scope: its members, their failures, and its end.
public final class ScopeNode implements Scope {
  /*
   * The end of a scope. Whoever opened it leaves only when no member is left:
   *
   *   body ended ─> failed? cancel all members ─> await those in the foreground ─> cancel those in the background ─> await them
   *                 └ cancelled while it awaits: cancel all members, go on awaiting, throw the cancellation at the end
   *
   * What it throws: the scope's failure (the first one), else what the body threw, else the cancellation it met while waiting.
   * Further failures are reported (LoopRoot.report), never lost.
   *
   * States.  from        event                           to
   *          OPEN        fail(), cancel()                CANCELLING  members cancelled, the block's body too; no more members
   *          OPEN        last member has gone, at end    CLOSED
   *          CANCELLING  last member has gone, at end    CLOSED
   *
   * Threads. The loop's.
   *
   * I1. `foreground` and `background` count the members in the list; both are zero when CLOSED. [ScopeTest]
   * I2. A failure is taken by those who await the member, or fails the scope, or stays with the member of a supervised scope and
   *     is reported at its end: exactly one of these. [FailureTest]
   *
   * Sources. DESIGN 3.6; traps 17, 18, 19, 22.
   */
  private enum Kind {
    ROOT,
    BLOCK,
    OPENED
  }

  private final LoopRoot loop;
  private final Kind kind;
  private final boolean supervised;
  private final @Nullable CoroutineNode<?> owner;
  private final @Nullable ScopeNode outerBlock; // of the owner
  private final @Nullable CancelRegion region; // the block's body
  private final Drained drained;

  // loop only
  private @Nullable CoroutineNode<?> first;
  private @Nullable CoroutineNode<?> last;
  private int foreground;
  private int background;
  private @Nullable Throwable failure;
  private @Nullable List<CoroutineNode<?>> untaken; // failed members of a supervised scope
  private boolean cancelled;
  private boolean thrown; // join() has thrown the failure
  private boolean closed;

  private ScopeNode(
      LoopRoot loop, Kind kind, boolean supervised, @Nullable CoroutineNode<?> owner) {
    this.loop = loop;
    this.kind = kind;
    this.supervised = supervised;
    this.owner = owner;
    this.outerBlock = owner == null ? null : owner.ownBlock();
    this.region = kind == Kind.BLOCK && owner != null ? owner.openRegion() : null;
    this.drained = new Drained();
    if (owner != null) {
      owner.enterScope(this);
    }
  }

  static ScopeNode root(LoopRoot loop) {
    return new ScopeNode(loop, Kind.ROOT, false, null);
  }

  /// A scope for try-with-resources, owned by the current coroutine.
  public static ScopeNode open() {
    CoroutineNode<?> owner = CoroutineNode.current();
    StackReserve.require();
    return new ScopeNode(owner.loop(), Kind.OPENED, false, owner);
  }

  /// Runs a scope block in the current coroutine.
  public static <T extends @Nullable Object> T block(ScopeBody<T> body, boolean supervised)
      throws Exception {
    CoroutineNode<?> owner = CoroutineNode.current();
    StackReserve.require();
    ScopeNode scope = new ScopeNode(owner.loop(), Kind.BLOCK, supervised, owner);
    T result = null;
    Throwable thrown = null;
    try {
      result = body.run(scope);
    } catch (Throwable e) {
      thrown = e;
    }
    Throwable outcome = scope.endBlock(owner, thrown);
    if (outcome != null) {
      throw LoopRoot.<RuntimeException>rethrown(CoroutineFailure.of(outcome));
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
    return add(name, body, false);
  }

  @Override
  public void launch(String name, Action action) {
    add(name, action, false);
  }

  @Override
  public void background(String name, Action action) {
    add(name, action, true);
  }

  private <T extends @Nullable Object> CoroutineNode<T> add(
      @Nullable String name, Object work, boolean inBackground) {
    loop.scheduler().checkOnLoop();
    checkOpen(name);
    CoroutineNode<T> member = new CoroutineNode<>(loop, this, name, work, inBackground, false);
    join(member);
    member.enqueue();
    return member;
  }

  /// Whether it takes new members.
  boolean isOpen() {
    return !closed && !cancelled && !loop.isPastDeadline();
  }

  /// Refuses a new member unless it is open.
  ///
  /// @throws IllegalStateException when the scope is closed or cancelled, or the loop's time is
  ///   over
  void checkOpen(@Nullable String name) {
    if (!isOpen()) {
      throw new IllegalStateException(
          "cannot spawn "
              + (name == null ? "a coroutine" : "'" + name + "'")
              + " in a "
              + (closed ? "closed scope" : cancelled ? "cancelled scope" : "loop past its deadline")
              + "; spawn before it ends, or open a new one");
    }
  }

  /// Makes a coroutine that may become a member later, perhaps in a tick.
  ///
  /// @param from the body's class, or the frame of the spawn
  CoroutineNode<?> prepare(Action work, Object from, @Nullable SpawnTrace spawner) {
    return new CoroutineNode<@Nullable Void>(loop, this, null, work, false, false, from, spawner);
  }

  /// Starts a coroutine that was prepared. Lock-free, calls no user code: for a tick.
  void admit(CoroutineNode<?> prepared) {
    join(prepared);
    prepared.enqueue();
  }

  /// Adds the main coroutine, or one of the loop's own, whatever the scope's state.
  ///
  /// @param runtimesOwn made by the runtime, perhaps in a tick, and not by user code
  <T extends @Nullable Object> CoroutineNode<T> addOwn(
      String name, Object work, boolean runtimesOwn) {
    CoroutineNode<T> member = new CoroutineNode<>(loop, this, name, work, false, runtimesOwn);
    join(member);
    return member;
  }

  private void join(CoroutineNode<?> member) {
    CoroutineNode<?> before = last;
    member.previous = before;
    if (before == null) {
      first = member;
    } else {
      before.next = member;
    }
    last = member;
    if (member.isBackground()) {
      background++;
    } else {
      foreground++;
    }
    loop.memberJoined();
  }

  private void unlink(CoroutineNode<?> member) {
    CoroutineNode<?> before = member.previous;
    CoroutineNode<?> after = member.next;
    if (before == null) {
      first = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.previous = before;
    }
    member.previous = null;
    member.next = null;
  }

  /// A member has ended.
  ///
  /// @param failed with what, unless it succeeded or was cancelled
  /// @param taken whether somebody awaited it
  void memberEnded(CoroutineNode<?> member, @Nullable Throwable failed, boolean taken) {
    unlink(member);
    if (member.isBackground()) {
      background--;
    } else {
      foreground--;
    }
    if (failed != null && !taken) {
      if (supervised) {
        keep(member);
      } else {
        fail(failed);
      }
    }
    if (foreground == 0) {
      drained.tell();
      if (kind == Kind.ROOT && background > 0) {
        cancelRest(new Cancellation("everything else is done"));
      }
    }
    loop.memberLeft();
  }

  private void keep(CoroutineNode<?> member) {
    if (untaken == null) {
      untaken = new ArrayList<>();
    }
    untaken.add(member);
  }

  /// Somebody took the outcome of a failed member after its end.
  void taken(CoroutineNode<?> member) {
    if (untaken != null) {
      untaken.remove(member);
    }
  }

  // ---- failure and cancellation ----

  private void fail(Throwable failed) {
    if (failure != null) {
      if (failure != failed) {
        loop.report("a further failure in a scope that had failed already", failed);
      }
      return;
    }
    failure = failed;
    cancelMembers(
        new Cancellation(
            "another member of the scope failed: " + failed.getClass().getName(), failed));
    if (region != null) {
      region.request("a member of the scope failed: " + failed.getClass().getName(), failed);
    }
    if (kind == Kind.ROOT) {
      loop.rootFailed(failed);
    }
  }

  @Override
  public void cancel(String why) {
    loop.scheduler().checkOnLoop();
    Cancellation c = new Cancellation(why);
    if (region != null) {
      region.request(c);
    }
    cancelMembers(c);
  }

  /// Cancels every member; none may join any more, except at the root.
  void cancelMembers(Cancellation c) {
    cancelled = kind != Kind.ROOT;
    cancelRest(c);
  }

  private void cancelRest(Cancellation c) {
    for (CoroutineNode<?> member = first; member != null; member = member.next) {
      member.cancelFromTree(c);
    }
  }

  // ---- the end ----

  @Override
  public void join() {
    CoroutineNode<?> joining = CoroutineNode.current();
    boolean wasCancelled = cancelled;
    try {
      awaitForeground(joining);
    } catch (Cancellation c) {
      cancelMembers(c);
      throw c;
    }
    if (background > 0) {
      cancelRest(new Cancellation("everything else is done"));
      awaitAllShielded(joining);
    }
    if (failure != null) {
      thrown = true;
      throw LoopRoot.<RuntimeException>rethrown(failure);
    }
    if (wasCancelled) {
      throw new Cancellation("the scope has been cancelled");
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    CoroutineNode<?> closing = CoroutineNode.current();
    if (closing != owner) {
      throw new IllegalStateException(
          "a scope is closed by the coroutine that opened it: " + owner);
    }
    refuseInsideBlock(closing);
    closeFor(closing);
  }

  /// Ends it, whatever kind it is: its owner leaves.
  void closeFor(CoroutineNode<?> closing) {
    closeInner(closing);
    if (foreground + background > 0) {
      cancelMembers(new Cancellation("the scope was closed"));
      awaitAllShielded(closing);
    }
    leave(closing);
  }

  // scopes opened inside this one and left open
  private void closeInner(CoroutineNode<?> owning) {
    for (ScopeNode inner = owning.ownBlock();
        inner != null && inner != this;
        inner = owning.ownBlock()) {
      inner.closeFor(owning);
    }
  }

  private void refuseInsideBlock(CoroutineNode<?> closing) {
    if (kind != Kind.OPENED) {
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
  }

  private @Nullable Throwable endBlock(CoroutineNode<?> owning, @Nullable Throwable thrown) {
    closeInner(owning);
    boolean ownCancellation = region != null && thrown != null && region.explains(thrown);
    if (region != null) {
      // the body is over: a member's failure has nothing left to cancel here
      owning.closeRegion(region);
    }
    if (thrown != null) {
      cancelMembers(
          thrown instanceof Cancellation c
              ? c
              : new Cancellation(
                  "the body of the scope failed: " + thrown.getClass().getName(), thrown));
    }
    Throwable met = awaitMembers(owning);
    leave(owning);
    if (failure != null && (thrown == null || ownCancellation || failure == thrown)) {
      return failure;
    }
    if (failure != null) {
      loop.report("a member failed in a scope whose body failed", failure);
    }
    return thrown != null ? thrown : met;
  }

  private @Nullable Cancellation awaitMembers(CoroutineNode<?> owning) {
    Cancellation met = null;
    try {
      awaitForeground(owning);
    } catch (Cancellation c) {
      cancelMembers(c);
      met = c;
    }
    if (foreground == 0 && background > 0) {
      cancelRest(new Cancellation("everything else is done"));
    }
    awaitAllShielded(owning);
    return met;
  }

  private void awaitForeground(CoroutineNode<?> waiting) {
    while (foreground > 0) {
      waiting.awaitEvent(drained);
    }
  }

  private void awaitAllShielded(CoroutineNode<?> waiting) {
    waiting.shield();
    try {
      while (foreground + background > 0 && !loop.isPastDeadline()) {
        awaitDrained(waiting);
      }
    } finally {
      waiting.unshield();
    }
  }

  private void awaitDrained(CoroutineNode<?> waiting) {
    try {
      waiting.awaitEvent(drained);
    } catch (Cancellation c) {
      // only past the shutdown deadline, when nothing shields any more
      if (!loop.isPastDeadline()) {
        throw c;
      }
    }
  }

  private void leave(CoroutineNode<?> owning) {
    closed = true;
    owning.enterScope(outerBlock);
    if (kind == Kind.OPENED && failure != null && !thrown) {
      loop.report("a member failed in a scope that nobody joined", failure);
    }
    reportUntaken();
  }

  private void reportUntaken() {
    if (untaken != null) {
      for (CoroutineNode<?> member : untaken) {
        loop.report("nobody took the failure of " + member.describe(), member.failure());
      }
    }
  }

  LoopRoot loop() {
    return loop;
  }

  @Nullable CoroutineNode<?> owner() {
    return owner;
  }

  /// The scope around it that the same coroutine has opened.
  @Nullable ScopeNode outerBlock() {
    return outerBlock;
  }

  /// What it is, in a few words, for reports.
  String describe() {
    return kind == Kind.ROOT ? "root scope" : supervised ? "supervised scope" : "scope";
  }

  @Nullable Throwable failure() {
    return failure;
  }

  @Override
  public boolean isCancelled() {
    return cancelled;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  /// Its members, without those of scopes they have opened, for reports.
  List<CoroutineNode<?>> ownMembers() {
    List<CoroutineNode<?>> found = new ArrayList<>(foreground + background);
    for (CoroutineNode<?> member = first; member != null; member = member.next) {
      found.add(member);
    }
    return found;
  }

  /// Every member and every coroutine in scopes below, for reports.
  List<CoroutineNode<?>> members() {
    List<CoroutineNode<?>> found = new ArrayList<>();
    for (CoroutineNode<?> member = first; member != null; member = member.next) {
      found.add(member);
      for (ScopeNode inner = member.ownBlock(); inner != null; inner = inner.outerBlock) {
        found.addAll(inner.members());
      }
    }
    return found;
  }

  /// Fires each time no member is left in the foreground, or none at all.
  private final class Drained extends Event {
    Drained() {
      super(loop.scheduler());
    }

    void tell() {
      fire(null, null);
    }

    @Override
    public String info() {
      int members = foreground + background;
      return members == 1 && first != null
          ? first.label() + " of its scope"
          : "the " + members + " members of its scope";
    }

    @Override
    public List<CoroutineNode<?>> holders() {
      return ownMembers();
    }
  }
}
