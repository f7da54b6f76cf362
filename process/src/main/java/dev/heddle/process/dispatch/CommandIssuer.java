// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.Pid;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A process, as those see it who carry out its commands. Any thread.
public interface CommandIssuer {
  /// Its address.
  Pid self();

  /// What it can do at once; within its steps only, but for what says otherwise.
  ProcessContext context();

  /// Its command with that tag, when it has no answer yet; within its steps only.
  @Nullable PendingCommand<?> invocation(long tag);

  /// Lets it monitor another; within its steps only.
  ///
  /// @param known is told the reference before the signal of that monitor can come
  void monitor(Pid other, LongConsumer known);

  /// Gives it the answer to a command. Throws an [OutOfMemoryError] or a [StackOverflowError] only
  /// when nothing has happened.
  ///
  /// @param inOrder whether the answer stands behind the messages that it has been sent before,
  ///   when it takes messages
  void deliver(ProcessEvent event, boolean inOrder);

  /// An answer came for a command that was answered, cancelled, or left by a process that has
  /// ended.
  void onLateResult(PendingCommand<?> invocation);

  /// It has a command on its way that only another process can bring to its end; within its steps.
  default void waitsForProcess() {}

  /// Something that was done for it has thrown, of which no answer tells it any more.
  ///
  /// @param what has thrown, in words
  void logUnreported(String what, Throwable thrown);
}
