// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

/// A callback that runs where its event fires, possibly on another coroutine's stack.
///
/// For the runtime's own callbacks only: it must take no lock, run no user code, block on nothing
/// and throw nothing. A coroutine parked inside it would keep what it holds while the carrier needs
/// it, and the loop would be dead.
///
/// @since 0.1
public interface InlineCallback extends EventCallback {
  /// Whether it makes use of an outcome that comes now: false for one that was woken already.
  default boolean takes() {
    return true;
  }

  /// Whether it makes use of a failure that comes now: also one that was woken already, but by a
  /// result, or by a failure that gives way to this one.
  default boolean takesFailure() {
    return takes();
  }

  /// Whether `callback`, of whichever kind, makes use of an outcome that comes now.
  static boolean takes(EventCallback callback) {
    return callback instanceof InlineCallback inline
        ? inline.takes()
        : !(callback instanceof NotifyHook);
  }

  /// Whether `callback`, of whichever kind, makes use of a failure that comes now.
  static boolean takesFailure(EventCallback callback) {
    return callback instanceof InlineCallback inline
        ? inline.takesFailure()
        : !(callback instanceof NotifyHook);
  }
}
