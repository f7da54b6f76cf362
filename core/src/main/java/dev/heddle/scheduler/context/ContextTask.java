// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import org.jspecify.annotations.Nullable;

/// An occupant of an execution context, from its first frame to its last: a coroutine.
public interface ContextTask {
  /// Runs to the end on `context`'s thread, and then runs the occupants that
  /// [ExecutionContext#nextOccupant()] returns, until it returns null. Must not throw.
  ///
  /// One frame serves all of them: every switch copies the frames below a coroutine.
  void runOn(ExecutionContext context);

  /// The occupant's thread was interrupted a moment ago. Called on the loop, in a tick.
  void interrupted();

  /// What this occupant's thread inherits from the thread that spawned it; null for the context's
  /// own defaults.
  @Nullable Inheritance inheritance();
}
