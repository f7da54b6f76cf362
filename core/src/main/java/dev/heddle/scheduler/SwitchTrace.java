// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;

/// Is called of each switch and each wake-up of the coroutines that are marked as traced, while a
/// trace of their loop is being recorded. It gets them as occupants of contexts: a trace knows
/// coroutines, and the scheduler knows the trace, so this must know neither.
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
  /// JDK nothing is called, nor while [Scheduler#tellEntries] says so.
  void entered(Occupant coroutine);

  /// The coroutine leaves the carrier, or runs on at once: then [#entered] follows.
  ///
  /// @param inTheJdk the JDK has parked it, and it has left already
  /// @param yields it is ready again
  void left(Occupant coroutine, boolean inTheJdk, boolean yields);

  /// It has not left, because a frame is pinned or a handler has failed. If [#left] was called, it
  /// runs on now; if a handler failed before that was called, it has never stopped.
  void stayed(Occupant coroutine);

  /// The coroutine waits no longer, and becomes ready.
  void woken(Occupant coroutine, WokenBy by);

  /// The JDK has ended the wait of what runs on a context. Also called where it has not: for a
  /// context of which a thread dump was taken.
  void arrived(ExecutionContext context);

  /// A cancellation of the coroutine was requested.
  void cancelled(Occupant coroutine);

  /// The coroutine has ended, and others have been told.
  ///
  /// @param ran whether it has ever begun
  void ended(Occupant coroutine, boolean ran);

  /// The loop has done what it does for itself, between two runs.
  void worked();

  /// The loop ends, and none of its coroutines runs any more.
  void loopEnds();
}
