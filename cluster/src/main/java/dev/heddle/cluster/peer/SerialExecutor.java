// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/// Runs tasks one after the other, in their order, on threads of another executor: one thread for
/// all those that wait.
///
/// **Thread** any.
final class SerialExecutor implements Executor {
  /*
   * A thread that finds no more tasks says first that none runs them, and looks then again; whoever
   * adds a task does that first, and asks then whether a thread runs them. So one of the two sees
   * the other, and no task stays. [SerialExecutorTest, SerialExecutorStress]
   *
   * When the other executor throws, or a task does, the tasks that are left stay, and the next one
   * makes a thread run them. After a task that throws there is another thread at once, if it can be
   * made.
   */
  private final Executor threads;
  private final Queue<Runnable> waiting;
  private final AtomicBoolean running = new AtomicBoolean(); // a thread runs them, or is about to

  /// @param threads runs what it is given once
  SerialExecutor(Executor threads) {
    this(threads, new ConcurrentLinkedQueue<>());
  }

  /// @param waiting an empty queue for any threads
  SerialExecutor(Executor threads, Queue<Runnable> waiting) {
    this.threads = threads;
    this.waiting = waiting;
  }

  @Override
  public void execute(Runnable task) {
    waiting.add(task);
    runIfIdle();
  }

  private void runIfIdle() {
    if (waiting.isEmpty() || !running.compareAndSet(false, true)) {
      return;
    }
    boolean isTaken = false;
    try {
      threads.execute(this::run);
      isTaken = true;
    } finally {
      if (!isTaken) {
        running.set(false);
      }
    }
  }

  private void run() {
    try {
      for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
        next.run();
      }
    } finally {
      running.set(false);
      runIfIdle();
    }
  }
}
