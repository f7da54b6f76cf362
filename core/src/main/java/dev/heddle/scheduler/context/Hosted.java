// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import org.jspecify.annotations.Nullable;

/// Something that runs on an execution context from its first frame to its last: a coroutine.
public interface Hosted {
  /// Runs to the end on `context`'s thread, and after it whoever [ExecutionContext#nextGuest()]
  /// names, until that is nobody. Must not throw.
  ///
  /// One frame for all of them: whatever lies below a coroutine is copied at each of its switches.
  void runOn(ExecutionContext context);

  /// Its thread was interrupted a moment ago. On the loop, in a tick.
  void interrupted();

  /// What this guest's thread inherits from the thread that spawned it, or null for the context's
  /// own defaults.
  @Nullable Inheritance inheritance();
}
