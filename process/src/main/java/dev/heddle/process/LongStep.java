// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.time.Duration;
import java.util.List;

/// A report of a step that holds its worker for too long.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=builder}
///
/// @param pid the process
/// @param kind the class of the process
/// @param worker the name of the worker's thread
/// @param duration how long it has lasted until now; it still lasts
/// @param stack its current stack, innermost frame first
/// @since 0.1
public record LongStep(
    Pid pid, String kind, String worker, Duration duration, List<StackTraceElement> stack) {
  /// Copies the list.
  public LongStep {
    stack = List.copyOf(stack);
  }

  /// A description with the stack.
  public String text() {
    StringBuilder text =
        new StringBuilder(
            "process %s (%s) has held %s for %d ms; a step must not block: execute a command"
                .formatted(pid, kind, worker, duration.toMillis()));
    stack.forEach(frame -> text.append("\n  at ").append(frame));
    return text.toString();
  }
}
