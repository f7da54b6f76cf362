// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.dispatch.PendingCommand;
import org.jspecify.annotations.Nullable;

/// One command on its way, and the right to answer it once. What a handler is given that begins a
/// command: [CommandHandler.Starter].
///
/// **Thread** any.
///
/// @param <R> of the result
/// @since 0.1
public sealed interface Invocation<R extends @Nullable Object> permits PendingCommand {
  /// The process that wants the answer.
  Pid caller();

  /// What the answer will carry.
  long tag();

  /// Answers with a result.
  ///
  /// @return false when it was answered before, or its process does not want it any more
  boolean complete(R result);

  /// Answers with a failure.
  ///
  /// @return false when it was answered before, or its process does not want it any more
  boolean fail(Throwable failure);

  /// Says what to do when the process does not want the answer any more: at once, when that is so
  /// already. A later action replaces an earlier one.
  void onCancel(Runnable action);

  /// Whether the process waits for the answer.
  boolean isOpen();
}
