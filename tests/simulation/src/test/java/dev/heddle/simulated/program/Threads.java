// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.program;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The threads of one run: ordinary ones, each a `new Thread`.
///
/// A JVM goes on after `main` until its threads have ended. So does a run: it joins them. The first
/// failure of a thread is the failure of the run.
public final class Threads {
  private final Queue<Thread> started = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /// What a thread does.
  @FunctionalInterface
  public interface Task {
    /// Does it.
    void run() throws Exception;
  }

  /// Makes a thread, which the program starts by itself, or never.
  public Thread make(Task task) {
    Thread thread = new Thread(() -> record(task));
    thread.setDaemon(true); // a deadlock in a run on real threads must not keep the JVM
    return thread;
  }

  /// Starts a thread.
  public Thread start(Task task) {
    Thread thread = make(task);
    start(thread);
    return thread;
  }

  /// Starts several threads that do the same.
  public void start(int count, Task task) {
    for (int i = 0; i < count; i++) {
      start(task);
    }
  }

  /// Starts a thread that [#make] has made.
  public void start(Thread thread) {
    started.add(thread);
    thread.start();
  }

  /// Waits for all threads, those included that are started meanwhile.
  ///
  /// @throws Exception the first failure of a thread
  void join() throws Exception {
    for (Thread thread = started.poll(); thread != null; thread = started.poll()) {
      thread.join();
    }
    switch (failure.get()) {
      case null -> {}
      case Exception e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
    }
  }

  private void record(Task task) {
    try {
      task.run();
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }
}
