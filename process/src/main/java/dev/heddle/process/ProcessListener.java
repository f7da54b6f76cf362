// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// Called when processes of a runtime start and end. Must not block.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=builder}
///
/// @since 0.1
public interface ProcessListener {
  /// Called before a process starts; its PID is known already. An exception refuses the start and
  /// is thrown to the caller that starts the process. **Thread** that of this caller.
  default void onStart(Pid pid, StartOptions options) throws Exception {}

  /// Called when a process has ended whose start passed [#onStart]. Its links, its monitors and the
  /// waiters for its exit have been notified before. An exception is logged. **Thread** a worker,
  /// or the thread of a shutdown.
  default void onExit(Exit exit) {}
}
