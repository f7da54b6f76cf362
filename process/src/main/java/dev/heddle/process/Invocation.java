// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.dispatch.PendingCommand;
import org.jspecify.annotations.Nullable;

/// A command in progress, and the right to reply to it once. A [CommandHandler.Starter] is given
/// one for each command that it begins.
///
/// **Thread** any.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=command}
///
/// @param <R> of the result
/// @since 0.1
public sealed interface Invocation<R extends @Nullable Object> permits PendingCommand {
  /// The process that issued the command.
  Pid caller();

  /// The tag that the reply will carry.
  long tag();

  /// Replies with a result.
  ///
  /// @return false when it has a reply already, or its process no longer wants one
  boolean complete(R result);

  /// Replies with a failure.
  ///
  /// @return false when it has a reply already, or its process no longer wants one
  boolean fail(Throwable failure);

  /// Sets the action to run when the process no longer wants the reply; it runs at once when that
  /// is already so. A later action replaces an earlier one.
  void onCancel(Runnable action);

  /// Whether the process still waits for the reply.
  boolean isOpen();
}
