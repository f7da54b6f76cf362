// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

/// Called when a coroutine enters or leaves its loop's thread.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=switchHandler}
///
/// A handler is called with ENTER when the body begins, with LEAVE and ENTER around each suspension
/// in Heddle, and once with FINISH, the last code on the coroutine's stack. A coroutine that was
/// cancelled before its start calls no handler, nor does a wait in the JDK (a sleep, a lock, a JDK
/// socket).
///
/// Handlers run on the coroutine's own stack and must not suspend: a wait in a handler throws;
/// spawning is allowed. A throwable of a handler fails the coroutine where it starts, waits or
/// ends. The other handlers are still called, and a wait that fails so still calls ENTER after
/// LEAVE. A stack overflow in a handler counts as thrown; its ENTER then comes with the next switch
/// for which there is room on the stack.
///
/// **Order** the order of addition.
///
/// @since 0.1
@FunctionalInterface
public interface SwitchHandler {
  /// Called when the coroutine enters, leaves or finishes.
  ///
  /// @return whether to be called again
  boolean onSwitch(Coroutine<?> coroutine, Switch kind);
}
