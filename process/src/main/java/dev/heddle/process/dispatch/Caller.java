// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.Pid;
import dev.heddle.process.ProcessEvent;

/// A process, as those see it who carry out its commands. Any thread.
public interface Caller {
  /// Its address.
  Pid self();

  /// Gives it the answer to a command.
  void deliver(ProcessEvent event);

  /// An answer came for a command that was answered, cancelled, or left by a process that has
  /// ended.
  void tooLate(Invocation<?> invocation);

  /// What was to stop a command has thrown.
  void failedToCancel(Invocation<?> invocation, Throwable thrown);
}
