// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

/// Called when one coroutine enters or leaves its loop's thread.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=switchHandler}
///
/// ENTER is called when the body begins, and LEAVE and ENTER, in pairs, around each suspension on
/// the loop; FINISH once, as the last thing that runs on the coroutine's stack. A coroutine that
/// was cancelled before its start has entered nothing and calls nothing. What the JDK parks (a
/// sleep, a lock, a socket of its own) stays on its stack, for the handlers it has not left.
///
/// Runs on that coroutine's own stack and must not suspend: a wait in it is refused with an error;
/// a new coroutine may be started. What it throws fails the coroutine, at the place where it
/// starts, waits or ends; the other handlers are called all the same, and a wait that fails so
/// leaves with an ENTER for the LEAVE. A stack that ends inside a handler has thrown, too; the
/// ENTER then comes with the next switch, when there is room again.
///
/// **Order** as they were added.
///
/// @since 0.1
@FunctionalInterface
public interface SwitchHandler {
  /// The coroutine enters, leaves or finishes.
  ///
  /// @return whether to be called again
  boolean onSwitch(Coroutine<?> coroutine, Switch kind);
}
