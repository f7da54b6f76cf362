// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// Carries out the commands of one class: within the step, as a coroutine on an I/O loop, or on a
/// thread for blocking calls.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=command}
///
/// @param <C> the class of the commands
/// @param <R> the type of their results
/// @since 0.1
public sealed interface CommandHandler<C extends ProcessCommand<R>, R extends @Nullable Object> {
  /// Begins a command, or completes it.
  ///
  /// @param <C> the class of the commands
  /// @param <R> the type of their results
  @FunctionalInterface
  interface Starter<C extends ProcessCommand<R>, R extends @Nullable Object> {
    /// Must not block: it runs on the worker, within the step of the process. It replies through
    /// `invocation`, now or later, from any thread. An exception is the reply.
    void begin(C command, Invocation<R> invocation) throws Exception;
  }

  /// Executes a command.
  ///
  /// @param <C> the class of the commands
  /// @param <R> the type of their results
  @FunctionalInterface
  interface Call<C extends ProcessCommand<R>, R extends @Nullable Object> {
    /// Returns the result, or throws what the process gets as the failure.
    ///
    /// @param caller the process that issued the command
    R execute(C command, Pid caller) throws Exception;
  }

  /// Runs the command on the worker, within the step.
  static <C extends ProcessCommand<R>, R extends @Nullable Object> CommandHandler<C, R> inline(
      Starter<C, R> starter) {
    return new Inline<>(starter);
  }

  /// Runs the command as a coroutine on one of the runtime's loops, where it may wait. The
  /// coroutine is cancelled when the process no longer wants the result.
  static <C extends ProcessCommand<R>, R extends @Nullable Object> CommandHandler<C, R> onLoop(
      Call<C, R> body) {
    return new OnLoop<>(body);
  }

  /// Runs the command on a thread that may block. The thread is interrupted when the process no
  /// longer wants the result.
  static <C extends ProcessCommand<R>, R extends @Nullable Object> CommandHandler<C, R> onThread(
      Call<C, R> body) {
    return new OnThread<>(body);
  }

  /// On the worker.
  record Inline<C extends ProcessCommand<R>, R extends @Nullable Object>(Starter<C, R> begin)
      implements CommandHandler<C, R> {}

  /// On a loop.
  record OnLoop<C extends ProcessCommand<R>, R extends @Nullable Object>(Call<C, R> body)
      implements CommandHandler<C, R> {}

  /// On a thread.
  record OnThread<C extends ProcessCommand<R>, R extends @Nullable Object>(Call<C, R> body)
      implements CommandHandler<C, R> {}
}
