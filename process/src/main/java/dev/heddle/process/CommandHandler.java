// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// Carries out commands of one class, where it says: at once, as a coroutine on an I/O loop, or on
/// a thread for blocking calls.
///
/// @param <C> of the commands
/// @param <R> of their results
/// @since 0.1
public sealed interface CommandHandler<C extends ProcessCommand<R>, R extends @Nullable Object> {
  /// Begins a command, or does it.
  ///
  /// @param <C> of the commands
  /// @param <R> of their results
  @FunctionalInterface
  interface Starter<C extends ProcessCommand<R>, R extends @Nullable Object> {
    /// Must not block: it runs on the worker, within the step of the process. It answers through
    /// `invocation`, now or later, from any thread. What it throws is the answer.
    void begin(C command, Invocation<R> invocation) throws Exception;
  }

  /// Does a command.
  ///
  /// @param <C> of the commands
  /// @param <R> of their results
  @FunctionalInterface
  interface Call<C extends ProcessCommand<R>, R extends @Nullable Object> {
    /// Returns the result, or throws what the process will see as the failure.
    ///
    /// @param caller the process that has asked
    R execute(C command, Pid caller) throws Exception;
  }

  /// Runs on the worker, within the step.
  static <C extends ProcessCommand<R>, R extends @Nullable Object> CommandHandler<C, R> inline(
      Starter<C, R> starter) {
    return new Inline<>(starter);
  }

  /// Runs as a coroutine on one of the runtime's loops: it may wait there like any coroutine.
  /// Cancelled when its process no longer waits for the result.
  static <C extends ProcessCommand<R>, R extends @Nullable Object> CommandHandler<C, R> onLoop(
      Call<C, R> body) {
    return new OnLoop<>(body);
  }

  /// Runs on a thread that may be blocked, and is interrupted when nobody wants the result any
  /// more.
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
