// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Beats at the beginning of each tick, on the stack that the tick runs on: that of a coroutine
/// which suspends or has ended, or the trampoline.
///
/// For the runtime's own instruments, not for user code. **Thread** the loop's, in a tick: no lock,
/// no wait, no exception.
@FunctionalInterface
public interface Heartbeat {
  /// One tick begins.
  void beat();
}
