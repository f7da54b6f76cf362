// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.coroutine.tree.ScopeNode;
import org.jspecify.annotations.Nullable;

/// The coroutines that belong together: none outlives its scope, and a failure nobody takes ends
/// them all.
///
/// A member's failure goes to those who await it at that moment. With none waiting it fails the
/// scope: the other members and the body of the block are cancelled and awaited, and the scope
/// throws it. In a supervised scope ([dev.heddle.Heddle#supervise]) it stays with the member
/// instead.
///
/// @since 0.1
public interface Scope extends AutoCloseable {
  /// A scope for try-with-resources. Its owner is not cancelled by a member's failure: [#join()]
  /// throws it.
  ///
  /// {@snippet class=dev.heddle.snippets.SnippetsTest region=scope}
  ///
  /// @throws IllegalStateException outside a coroutine
  static Scope open() {
    return ScopeNode.open();
  }

  /// Starts a member; it runs when the current coroutine suspends or ends.
  ///
  /// @throws IllegalStateException when the scope is closed or cancelled, or belongs to another
  ///   loop
  <T extends @Nullable Object> Coroutine<T> spawn(Body<T> body);

  /// Starts a named member. Else as [#spawn(Body)].
  <T extends @Nullable Object> Coroutine<T> spawn(String name, Body<T> body);

  /// Starts a named member that nobody awaits. Else as [#spawn(Body)].
  void launch(String name, Action action);

  /// Starts a named member that is cancelled when all others are done: a heartbeat, a watcher. Else
  /// as [#spawn(Body)].
  void background(String name, Action action);

  /// Waits until every member, background ones apart, is done, and then cancels those.
  ///
  /// @throws Cancellation when the waiting coroutine is cancelled; the members then are, too
  void join();

  /// Ends the scope: cancels what still runs (after [#join()]: nothing) and waits for it, whatever
  /// happens.
  @Override
  void close();

  /// Cancels every member, and the body of the block at its next suspension point.
  void cancel(String why);

  /// Whether it was cancelled, as a whole, or by a failure.
  boolean isCancelled();

  /// Whether it takes no more members.
  boolean isClosed();
}
