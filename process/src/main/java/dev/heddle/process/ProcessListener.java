// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// Is told of the starts and ends of all processes of a runtime. Must not block.
///
/// @since 0.1
public interface ProcessListener {
  /// A process is about to start; its PID is known already. What this throws refuses the start, and
  /// whoever starts it gets to see it. **Thread** of whoever starts it.
  default void onStart(Pid pid, StartOptions options) throws Exception {}

  /// A process of which [#onStart] was told, and did not refuse, has ended: links, monitors and
  /// whoever waits for its exit know already. What this throws is logged. **Thread** a worker's, or
  /// that of a shutdown.
  default void onComplete(Exit exit) {}
}
