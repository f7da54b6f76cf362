// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Called at the beginning of each tick, on the stack that runs the tick: that of a coroutine that
/// suspends or has ended, or the trampoline.
///
/// For the runtime's own instruments, not for user code. **Thread** the loop's, in a tick: it takes
/// no lock, never waits and throws nothing.
@FunctionalInterface
public interface TickListener {
  void onTick();
}
