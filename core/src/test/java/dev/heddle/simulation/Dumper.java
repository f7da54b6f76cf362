// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/// A thread that takes the stacks of all it has been shown, over and over, as a profiler does.
final class Dumper implements AutoCloseable {
  private final Queue<Thread> shown = new ConcurrentLinkedQueue<>();
  private final AtomicLong taken = new AtomicLong();
  private volatile boolean closed;

  /// Begins at once.
  Dumper() {
    Thread.ofPlatform().daemon().name("dumper").start(this::takeStacks);
  }

  /// Any thread.
  void show(Thread another) {
    if (!shown.contains(another)) {
      shown.add(another);
    }
  }

  /// Stacks of threads that were parked or ran.
  long taken() {
    return taken.get();
  }

  private void takeStacks() {
    while (!closed) {
      shown.removeIf(each -> !each.isAlive());
      for (Thread each : shown) {
        if (each.getStackTrace().length > 0) {
          taken.incrementAndGet();
        }
      }
      Thread.onSpinWait();
    }
  }

  @Override
  public void close() {
    closed = true; // the thread ends by itself
  }
}
