// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.programs.racy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Loses updates, if a thread is preempted at the right place; the agent of these tests puts
/// preemption points into this package.
public final class Counter {
  private int count;

  @SuppressWarnings("UnusedVariable") // the write is what matters
  private volatile boolean seen;

  /// Counts twice, on two threads.
  public static int twice() throws InterruptedException {
    Counter counter = new Counter();
    Thread one = new Thread(counter::add);
    Thread two = new Thread(counter::add);
    one.start();
    two.start();
    one.join();
    two.join();
    return counter.count;
  }

  /// The time that one addition takes, which has two points.
  public static long secondsOfOneAddition() {
    long began = System.nanoTime();
    new Counter().add();
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
  }

  /// Unparks a thread between two points, and lets it park afterwards.
  public static String unparkedWhileStalled() throws InterruptedException {
    Thread adder =
        new Thread(() -> {
          new Counter().add();
          LockSupport.park();
        });
    adder.start();
    Thread.sleep(1_000); // it is stalled at the first point
    LockSupport.unpark(adder);
    adder.join();
    return "unparked";
  }

  private void add() {
    count = count + 1;
  }

  /// One access of each kind.
  public synchronized int everyKind(int[] cells, Counter other) {
    synchronized (cells) {
      seen = true;
    }
    cells[0] = cells[1];
    other.lock();
    Thread.currentThread().interrupt();
    return count;
  }

  private synchronized void lock() {}
}
