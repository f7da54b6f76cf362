// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.remote;

import dev.heddle.process.Pid;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// An order to a process of another node.
public sealed interface ProcessOrder {
  /// Ends it before its next step.
  record Terminate(String reason) implements ProcessOrder {}

  /// Asks it to end, and terminates it when it has not ended in time.
  record Cancel(String reason, Duration time) implements ProcessOrder {}

  /// Asks it to end, with a reason in the program's own terms.
  ///
  /// @param from the process that asks; null when it is the program
  record RequestExit(@Nullable Pid from, Object detail) implements ProcessOrder {}
}
