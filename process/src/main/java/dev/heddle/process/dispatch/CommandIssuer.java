// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.Pid;
import dev.heddle.process.ProcessEvent;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A process for its command handlers. Any thread.
public interface CommandIssuer {
  Pid self();

  /// Its pending command with that tag, or null; within its steps only.
  @Nullable PendingCommand<?> invocation(long tag);

  /// Makes it monitor another process; within its steps only.
  ///
  /// @param known is called with the reference before the signal of that monitor can come
  void monitor(Pid other, LongConsumer known);

  /// Delivers the reply to a command. Throws an [OutOfMemoryError] or a [StackOverflowError] only
  /// when nothing has happened.
  ///
  /// @param inOrder whether the reply is delivered after the messages that came before it, when it
  ///   takes messages
  void deliver(ProcessEvent event, boolean inOrder);

  /// Called when a reply came for a command that has a reply, was cancelled, or was abandoned at
  /// the end of its process.
  void onLateResult(PendingCommand<?> pending);

  /// Called when it has a command that only another process can complete; within its steps.
  default void waitsForProcess() {}

  /// Logs an exception in work for it that no reply reports.
  ///
  /// @param what a description of that work
  void logUnreported(String what, Throwable thrown);
}
