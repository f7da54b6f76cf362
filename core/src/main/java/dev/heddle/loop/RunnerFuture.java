// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.internal.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/// A future whose `cancel(true)` reaches the runner of its task, which is no thread.
///
/// **Thread** any.
///
/// @param <R> what runs the task
abstract class RunnerFuture<V extends @Nullable Object, R> extends FutureTask<V> {
  /*
   * Memory order. The runner writes `runner`, then reads the state of the FutureTask: it is NEW, or
   * the body does not begin. The canceller changes the state from NEW, then reads `runner`. All of
   * these are volatile accesses, so in one total order: either the body does not begin, or the
   * canceller sees the runner (Dekker). [RunnerFutureStress] Mutant:
   * RunnerFutureStress.ReadsTheRunnerFirst.
   *
   * The request to the runner may come late, when the runner has left the task. So the receiver of
   * the request asks isRunBy() first.
   */
  private static final VarHandle RUNNER =
      VarHandles.find(MethodHandles.lookup(), "runner", Object.class);

  // the runner writes, any thread reads
  private volatile @Nullable Object runner;

  RunnerFuture(Callable<V> callable) {
    super(callable);
  }

  RunnerFuture(Runnable runnable, V value) {
    super(runnable, value);
  }

  /// Requests that the runner leave the task. Called by the thread that cancels.
  abstract void interrupt(R runner);

  /// Runs the task.
  ///
  /// @param self what runs it; null: nothing that can be interrupted
  final void runAs(@Nullable R self) {
    runner = self;
    try {
      super.run();
    } finally {
      leave();
    }
  }

  /// Runs the task, and leaves the future open.
  ///
  /// @return whether it may run again
  final boolean runAndResetAs(@Nullable R self) {
    runner = self;
    try {
      return runAndReset();
    } finally {
      leave();
    }
  }

  private void leave() {
    RUNNER.setRelease(this, (Object) null);
  }

  /// Whether `runner` runs the task now. **Thread** the runner's loop.
  final boolean isRunBy(R other) {
    return runner == other;
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(false);
    Object running = runner;
    if (cancelled && mayInterruptIfRunning && running != null) {
      interruptRunner(running);
    }
    return cancelled;
  }

  @SuppressWarnings("unchecked") // safe: only runAs() and runAndResetAs() write the field
  private void interruptRunner(Object running) {
    interrupt((R) running);
  }
}
