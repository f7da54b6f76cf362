// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.scheduler.context.ExecutionContext;

/// Called at the beginning of each tick, on the stack that runs the tick: that of a coroutine that
/// suspends or has ended, or the trampoline. And around each mount that no [ReadyPicker] has
/// chosen, on the trampoline.
///
/// For the runtime's own instruments, not for user code. **Thread** the loop's, in a tick: it takes
/// no lock, never waits and throws nothing.
@FunctionalInterface
public interface TickListener {
  void onTick();

  /// [Scheduler#resumeNow] is about to mount `context`. Not in a tick; nothing is mounted.
  default void beforeResume(ExecutionContext context) {}

  /// `context` has left the carrier. Not in a tick; nothing is mounted.
  default void afterResume(ExecutionContext context) {}
}
