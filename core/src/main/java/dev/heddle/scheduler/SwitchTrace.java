// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.scheduler.context.ExecutionContext;

/// Is called of each switch and each wake-up of the coroutines that are marked by [Waker#trace()],
/// while a trace of their loop is being recorded.
///
/// **Thread** the loop's, on the stack of a coroutine or on the trampoline; it never waits, and
/// calls no user code.
public interface SwitchTrace {
  /// What has ended a wait.
  enum WokenBy {
    EVENT,
    DEADLINE,
    TOKEN,
    INTERRUPT,
    CANCELLATION
  }

  /// The coroutine runs from now on, at its start or after a wait on the loop. After a wait in the
  /// JDK nothing is called.
  void entered(Waker coroutine);

  /// The coroutine leaves the carrier, or runs on at once: then [#entered] follows.
  ///
  /// @param inTheJdk the JDK has parked it, and it has left already
  /// @param yields it is ready again
  void left(Waker coroutine, boolean inTheJdk, boolean yields);

  /// It has not left, although that was said, because a frame is pinned or a handler has failed.
  void stayed(Waker coroutine);

  /// The coroutine waits no longer, and becomes ready.
  void woken(Waker coroutine, WokenBy by);

  /// The JDK has ended the wait of what runs on a context. Also called where it has not: for a
  /// context of which a thread dump was taken.
  void arrived(ExecutionContext context);

  /// A cancellation of the coroutine was requested.
  void cancelled(Waker coroutine);

  /// The coroutine has ended, and others have been told.
  ///
  /// @param ran whether it has ever begun
  void ended(Waker coroutine, boolean ran);

  /// The loop has slept, or was about to.
  void slept();
}
