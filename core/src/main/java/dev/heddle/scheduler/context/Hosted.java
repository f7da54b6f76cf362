// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import org.jspecify.annotations.Nullable;

/// Something that runs on an execution context from its first frame to its last: a coroutine.
public interface Hosted {
  /// Runs to the end on `context`'s thread. Must not throw.
  void runOn(ExecutionContext context);

  /// What this guest's thread inherits from the thread that spawned it, or null for the context's
  /// own defaults.
  @Nullable Inheritance inheritance();
}
