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

/// The coroutines that belong together: none outlives its scope, and a failure nobody takes ends
/// them all.
///
/// Scopes form a tree: a scope that is opened stands below the current one. A cancellation goes
/// from above to below, a failure from below to above.
///
/// A member's failure goes to those who await it at that moment. With none waiting it goes to the
/// scope's failure handler; without one it fails the scope: the other members and the body of the
/// block are cancelled and awaited, and the scope throws it. In a supervised scope
/// ([dev.heddle.Heddle#supervise]) it stays with the member instead.
///
/// An owner that cannot wait for its scope (its frames are pinned, a switch handler throws) leaves
/// it with that failure. The members that are left are cancelled, and the scope above waits for
/// them.
///
/// As something to await, a scope fires when it is closed.
///
/// **Thread** its loop's.
///
/// @since 0.1
public interface Scope extends AutoCloseable, Awaitable<@Nullable Void> {
  /// A scope for try-with-resources, below the current one. Its owner is not cancelled by a
  /// member's failure: [#join()] throws it.
  ///
  /// {@snippet class=dev.heddle.snippets.SnippetsTest region=scope}
  ///
  /// @throws IllegalStateException outside a coroutine
  static Scope open() {
    return ScopeNode.open();
  }

  /// A scope that no coroutine owns, below the root, without the context of any other scope. Else
  /// as [#child()].
  ///
  /// @throws IllegalStateException outside a coroutine
  static Scope detached() {
    return ScopeNode.detached();
  }

  /// The scope that a spawn without a scope goes to: the innermost one that the current coroutine
  /// has opened, else the one it is a member of.
  ///
  /// @throws IllegalStateException outside a coroutine
  static Scope current() {
    return CoroutineNode.current().currentScope();
  }

  /// The scope of the main coroutine, above all others. It takes handlers and values; it ends with
  /// its loop, and cannot be joined, cancelled or closed.
  ///
  /// @throws IllegalStateException outside a coroutine
  static Scope root() {
    return CoroutineNode.current().tree().root();
  }

  /// A scope below this one that no coroutine owns: a session, a connection, an object's own. It
  /// counts as a part of this scope, which does not end before it, and it ends when it is closed,
  /// or when it is cancelled and no member is left, or with this scope.
  ///
  /// When it fails, those who join or await it get the failure; with none, or when they leave
  /// without it, it goes to this scope: to its handler for children, to its failure handler, or it
  /// fails, too.
  ///
  /// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=child}
  ///
  /// @throws IllegalStateException when this scope is closed or cancelled
  Scope child();

  /// The scopes below this one, in the order in which they were opened; not those below them.
  List<Scope> children();

  // ---- members ----

  /// Starts a member; it runs when the current coroutine suspends or ends.
  ///
  /// @throws IllegalStateException when the scope is closed or cancelled, or belongs to another
  ///   loop
  /// @throws Cancellation when the scope is cancelled, and whoever spawns is to be, too
  <T extends @Nullable Object> Coroutine<T> spawn(Body<T> body);

  /// Starts a named member. Else as [#spawn(Body)].
  <T extends @Nullable Object> Coroutine<T> spawn(String name, Body<T> body);

  /// Starts a member without a result. Else as [#spawn(Body)].
  Coroutine<@Nullable Void> spawn(Action action);

  /// Starts a named member without a result. Else as [#spawn(Body)].
  Coroutine<@Nullable Void> spawn(String name, Action action);

  /// Starts a named member that nobody awaits. Else as [#spawn(Body)].
  void launch(String name, Action action);

  /// Starts a named member that is cancelled when all others are done: a heartbeat, a watcher. Else
  /// as [#spawn(Body)].
  void background(String name, Action action);

  // ---- waiting for it ----

  /// Waits until every member here and below, background ones apart, is done, and so are the
  /// handlers. For the owner of an open scope it then cancels the background members.
  ///
  /// Anybody outside may join; the scope goes on, and more may be spawned into it.
  ///
  /// @throws Cancellation when the waiting coroutine is cancelled (if it is the owner, the members
  ///   then are, too), or when the scope had been cancelled before, once its members are done
  /// @throws IllegalStateException in a member of it, which would wait for itself
  void join();

  /// Waits for it, but not beyond a deadline; the members go on. Else as [#join()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  void join(Deadline deadline);

  /// Waits for it, but not beyond the moment in which `token` fires; the members go on. Else as
  /// [#join()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first, however it fires
  void join(Awaitable<?> token);

  /// Waits until nobody is left in a scope that has been cancelled, and throws what a member failed
  /// with while it cleaned up.
  ///
  /// @throws IllegalStateException when it has not been cancelled, and in a member of it
  void awaitCancelled();

  /// Waits for it, but not beyond a deadline. Else as [#awaitCancelled()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  void awaitCancelled(Deadline deadline);

  /// Waits for it, but not beyond the moment in which `token` fires. Else as [#awaitCancelled()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first, however it fires
  void awaitCancelled(Awaitable<?> token);

  /// Waits for it, and gives what members failed with to `handler`, which becomes the scope's
  /// failure handler, instead of throwing it. Else as [#awaitCancelled()].
  ///
  /// @throws Exception what `handler` threw for a failure that was there before
  void awaitCancelled(FailureHandler handler) throws Exception;

  /// Ends the scope: cancels what still runs (after [#join()]: nothing) and waits for it and for
  /// the completion handlers, whatever happens. Those that were left to finish are not cancelled.
  /// Who has not ended when the grace period is over is named in the log, once, with its stack.
  ///
  /// @throws IllegalStateException when somebody else owns it, inside a block that it encloses, and
  ///   in a member of it
  @Override
  void close();

  // ---- cancelling it ----

  /// Cancels every member of this scope and of those below, and the body of the block at its next
  /// suspension point. Members inside a protect block that was begun around their scope are
  /// cancelled when it ends. The first cancellation counts. **Suspends** never.
  ///
  /// @throws IllegalStateException for the root scope, which [dev.heddle.Heddle#shutdown] stops
  void cancel(String why);

  /// Cancels those that `mode` says. Else as [#cancel(String)].
  void cancel(String why, CancelMode mode);

  /// Cancels it after a while, unless it is closed before; a later call replaces an earlier one.
  void cancelAfter(Duration delay);

  /// Whether it was cancelled, as a whole, or by a failure; also when it is closed.
  boolean isCancelled();

  /// Whether it has ended: nobody is left, and nobody may come.
  boolean isClosed();

  // ---- handlers and values ----

  /// Gives the failures of members that nobody awaits to `handler`, instead of failing; so it
  /// supervises the scope. A later call replaces an earlier one. What the main coroutine throws is
  /// awaited by whoever called `run`.
  ///
  /// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=handler}
  void handleFailures(FailureHandler handler);

  /// Gives the failures of [child scopes][#child()] that nobody joins to `handler`, and those of
  /// scopes below that nobody joined at all. A later call replaces an earlier one.
  void handleChildFailures(FailureHandler handler);

  /// Calls `handler` when the scope is closed; at once, in place, when it is.
  ///
  /// A block, and [#close()], throw what the handlers throw, unless the failure handler gets it.
  ///
  /// @throws IllegalStateException for the root scope
  void onCompletion(CompletionHandler<? super Scope> handler);

  /// The values of this scope; the same object each time.
  Context context();
}
