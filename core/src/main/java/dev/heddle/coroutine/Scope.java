// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.ScopeNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A group of coroutines, its members. No member outlives its scope, and an unobserved failure of
/// one cancels them all.
///
/// Scopes form a tree: a new scope is a child of the current one. Cancellations go down the tree,
/// failures go up.
///
/// A member's failure goes to the coroutines that await the member at that moment. If there are
/// none, it goes to the scope's failure handler. Without a handler it fails the scope: the other
/// members and the body of the block are cancelled and awaited, and the scope throws the failure.
/// In a supervised scope ([dev.heddle.Heddle#supervise]) it stays with the member instead.
///
/// If the owner cannot wait for its scope (its frames are pinned, a switch handler throws), it
/// leaves the scope with that failure. The remaining members are cancelled, and the parent scope
/// waits for them.
///
/// As an [Awaitable], a scope fires when it is closed.
///
/// **Thread** its loop's.
///
/// @since 0.1
public interface Scope extends AutoCloseable, Awaitable<@Nullable Void> {
  /// Opens a scope for try-with-resources, as a child of the current one. A member's failure does
  /// not cancel the owner: [#join()] throws it.
  ///
  /// {@snippet class=dev.heddle.snippets.SnippetsTest region=scope}
  ///
  /// @throws IllegalStateException outside a coroutine
  static Scope open() {
    return ScopeNode.open();
  }

  /// Opens a scope without an owner, as a child of the root, which inherits no context. Else as
  /// [#child()].
  ///
  /// @throws IllegalStateException outside a coroutine
  static Scope detached() {
    return ScopeNode.detached();
  }

  /// The current scope, to which spawns go by default: the innermost one that the current coroutine
  /// has opened, else the one of which it is a member.
  ///
  /// @throws IllegalStateException outside a coroutine
  static Scope current() {
    return CoroutineNode.current().currentScope();
  }

  /// The scope of the main coroutine, the root of the tree. It accepts handlers and values; it ends
  /// with its loop, and cannot be joined, cancelled or closed.
  ///
  /// @throws IllegalStateException outside a coroutine
  static Scope root() {
    return CoroutineNode.current().tree().root();
  }

  /// Opens a child scope without an owner: for a session, a connection or an object. This scope
  /// does not end before it. It ends when it is closed, when it is cancelled and no member is left,
  /// or with this scope.
  ///
  /// Its failure goes to the coroutines that join or await it. If there are none, or if they leave
  /// without it, the failure goes to this scope: to its handler for children, else to its failure
  /// handler, else this scope fails, too.
  ///
  /// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=child}
  ///
  /// @throws IllegalStateException when this scope is closed or cancelled
  Scope child();

  /// The child scopes of this one, in the order in which they were opened; without their
  /// descendants.
  List<Scope> children();

  // ---- members ----

  /// Starts a member; it runs when the current coroutine suspends or ends.
  ///
  /// @throws IllegalStateException when the scope is closed or cancelled, or belongs to another
  ///   loop
  /// @throws Cancellation when the scope is cancelled and the spawning coroutine is, too
  <T extends @Nullable Object> Coroutine<T> spawn(Body<T> body);

  /// Starts a named member. Else as [#spawn(Body)].
  <T extends @Nullable Object> Coroutine<T> spawn(String name, Body<T> body);

  /// Starts a member without a result. Else as [#spawn(Body)].
  Coroutine<@Nullable Void> spawn(Action action);

  /// Starts a named member without a result. Else as [#spawn(Body)].
  Coroutine<@Nullable Void> spawn(String name, Action action);

  /// Starts a named member without a handle to await it. Else as [#spawn(Body)].
  void launch(String name, Action action);

  /// Starts a named background member, which is cancelled when all others have ended: a heartbeat,
  /// a watcher. Else as [#spawn(Body)].
  void background(String name, Action action);

  // ---- waiting ----

  /// Waits until all members and handlers, here and below, have ended, except background members.
  /// If the owner of an open scope joins, the background members are then cancelled.
  ///
  /// Any coroutine that is not a member may join. The scope stays open for further spawns.
  ///
  /// @throws Cancellation when the waiting coroutine is cancelled (if it is the owner, the members
  ///   are cancelled, too); also when the scope was cancelled before, after its members have ended
  /// @throws IllegalStateException in a member of it, which would wait for itself
  void join();

  /// Waits for it, at most until the deadline; the members then continue. Else as [#join()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline expires first
  void join(Deadline deadline);

  /// Waits for it, at most until `token` fires; the members then continue. Else as [#join()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first, even by failing
  void join(Awaitable<?> token);

  /// Waits until no member is left in a cancelled scope, and throws the failure of a member's
  /// clean-up.
  ///
  /// @throws IllegalStateException when it has not been cancelled, and in a member of it
  void awaitCancelled();

  /// Waits for it, at most until the deadline. Else as [#awaitCancelled()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline expires first
  void awaitCancelled(Deadline deadline);

  /// Waits for it, at most until `token` fires. Else as [#awaitCancelled()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first, even by failing
  void awaitCancelled(Awaitable<?> token);

  /// Waits for it; failures of members are passed to `handler`, which becomes the scope's failure
  /// handler, instead of being thrown. Else as [#awaitCancelled()].
  ///
  /// @throws Exception what `handler` threw for an earlier failure
  void awaitCancelled(FailureHandler handler) throws Exception;

  /// Ends the scope: cancels the remaining members (none after [#join()]), and waits for them and
  /// for the completion handlers in any case. Draining members ([CancelMode]) are not cancelled. A
  /// member that has not ended by the end of the grace period is named in the log, once, with its
  /// stack.
  ///
  /// @throws IllegalStateException when another coroutine owns it, inside a block that it encloses,
  ///   and in a member of it
  @Override
  void close();

  // ---- cancelling ----

  /// Cancels every member of this scope and of those below, and the body of the block at its next
  /// suspension point. If the scope was opened inside a shielded block, its members are cancelled
  /// when that block ends. Only the first cancellation has an effect. **Suspends** never.
  ///
  /// @throws IllegalStateException for the root scope, which [dev.heddle.Heddle#shutdown] stops
  void cancel(String why);

  /// Cancels the members that `mode` selects. Else as [#cancel(String)].
  void cancel(String why, CancelMode mode);

  /// Cancels the scope after a delay, unless it is closed before; a later call replaces an earlier
  /// one.
  void cancelAfter(Duration delay);

  /// Whether it was cancelled, by a call or by a failure; also after it was closed.
  boolean isCancelled();

  /// Whether it has ended: no member is left, and none can be spawned.
  boolean isClosed();

  // ---- handlers and values ----

  /// Passes unobserved failures of members to `handler` instead of failing, so the handler
  /// supervises the scope. A later call replaces an earlier one. The failure of the main coroutine
  /// goes to the caller of `run`, not to a handler.
  ///
  /// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=handler}
  void handleFailures(FailureHandler handler);

  /// Passes the failures of [child scopes][#child()] that no coroutine joins to `handler`, and
  /// those of opened scopes that were never joined. A later call replaces an earlier one.
  void handleChildFailures(FailureHandler handler);

  /// Calls `handler` when the scope is closed; if it is closed already, directly in this call.
  ///
  /// A block, and [#close()], throw the handlers' failures, unless a failure handler gets them.
  ///
  /// @throws IllegalStateException for the root scope
  void onCompletion(CompletionHandler<? super Scope> handler);

  /// The context of this scope; the same object each time.
  Context context();
}
