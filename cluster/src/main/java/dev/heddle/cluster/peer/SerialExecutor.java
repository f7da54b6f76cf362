// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/// Runs tasks one after the other, in their order, each by a call of another executor.
///
/// **Thread** any.
final class SerialExecutor implements Executor {
  /*
   * A call that has run its task says first that there is none, and looks then for another task;
   * whoever adds a task does that first, and asks then whether there is a call. So one of the two
   * sees the other, and no task stays. [SerialExecutorTest, SerialExecutorStress]
   *
   * When the other executor throws, the task stays, and the next task's call runs it.
   */
  private final Executor threads;
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean called = new AtomicBoolean(); // a task runs, or is about to

  /// @param threads runs what it is given once
  SerialExecutor(Executor threads) {
    this.threads = threads;
  }

  @Override
  public void execute(Runnable task) {
    waiting.add(task);
    callIfIdle();
  }

  private void callIfIdle() {
    if (waiting.isEmpty() || !called.compareAndSet(false, true)) {
      return;
    }
    boolean isCalled = false;
    try {
      threads.execute(this::runNext);
      isCalled = true;
    } finally {
      if (!isCalled) {
        called.set(false);
      }
    }
  }

  private void runNext() {
    try {
      Runnable next = waiting.poll();
      if (next != null) {
        next.run();
      }
    } finally {
      called.set(false);
      callIfIdle();
    }
  }
}
