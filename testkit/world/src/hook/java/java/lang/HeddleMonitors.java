// SPDX-License-Identifier: Apache-2.0
package java.lang;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.internal.misc.InnocuousThread;

/// The hand-over of monitors in one world, which the JVM does on a thread of its own.
public final class HeddleMonitors {
  /*
   * A coroutine that leaves a monitor gives it to a waiter: the JVM puts the waiter on a list
   * (onWaitingList = true) before the leaving thread continues, and a thread of the JVM, the
   * unblocker, takes it from there, makes it runnable and calls its scheduler's execute. When that
   * happens depends on the machine. So the loop waits, before it chooses what runs next, until the
   * unblocker has nothing more of this world.
   *
   *   onWaitingList  unblocking   who, order
   *   true           0            the leaving thread, within its turn
   *   true           1            unblocker: unblocking(), first thing in
   *                               compareAndSetOnWaitingList
   *   false          1            unblocker: that method
   *   false          0            unblocker: unblocked(), at the return of unblock(); execute has
   *                               been called
   *
   * I1. await() returns only when no waiter is on the list and unblocking is 0: in each of the rows
   *     above one of the two says "busy" until execute has been called. The order of the two reads
   *     matters: the list first, so that a waiter that has left it has been counted before.
   *     [MonitorTest]
   * I2. Threads of other worlds, and of none, are not counted: the id of a thread tells its world.
   *
   * Threads. left, await: the carrier. unblocking, unblocked: the unblocker.
   *
   * Rejected. Sleeping until the unblocker sits idle: no idle state can be read from Java.
   */
  private static final int SPINS = 1_000; // about 10 us, several times a hand-over; then yield

  // carrier only
  private final Set<Thread> waiting = new HashSet<>(); // by thread id, not by identity hash code

  // unblocker, carrier
  private final AtomicInteger unblocking = new AtomicInteger();

  HeddleMonitors() {}

  /// `virtual` has left the carrier.
  void left(Thread virtual) {
    int state = HeddleInternals.state(virtual);
    if (state == HeddleInternals.BLOCKED
        || state == HeddleInternals.WAIT
        || state == HeddleInternals.TIMED_WAIT) {
      waiting.add(virtual);
    } else if (!waiting.isEmpty()) {
      waiting.remove(virtual);
    }
  }

  boolean hasWaiters() {
    return !waiting.isEmpty();
  }

  void await() {
    int spins = 0;
    while (!waiting.isEmpty() && isBusy()) {
      if (++spins < SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  private boolean isBusy() {
    for (Thread thread : waiting) {
      if (HeddleInternals.isOnWaitingList(thread)) {
        return true;
      }
    }
    return unblocking.get() != 0;
  }

  /// Before the unblocker takes `virtual` from its list.
  public static void unblocking(Thread virtual) {
    HeddleWorld world = HeddleWorld.of(virtual);
    if (world != null) {
      world.monitors.unblocking.incrementAndGet();
    }
  }

  /// After it has given it to its scheduler.
  public static void unblocked(Thread virtual) {
    HeddleWorld world = HeddleWorld.of(virtual);
    if (world != null) {
      world.monitors.unblocking.decrementAndGet();
    }
  }

  /// Whether the current thread is the one that the JVM unblocks virtual threads with.
  static boolean isUnblocker() {
    return Thread.currentThread() instanceof InnocuousThread thread
        && thread.getName().equals("VirtualThread-unblocker");
  }
}
