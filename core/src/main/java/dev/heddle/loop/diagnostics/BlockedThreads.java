// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.internal.DaemonThread;
import dev.heddle.scheduler.context.MonitorRetry;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The thread that has others try again to enter a monitor that may be free.
final class BlockedThreads implements Runnable {
  /*
   * A thread that leaves a monitor wakes one of those that wait to enter it, its successor, and no
   * other. A coroutine that waits is not on its carrier (JEP 491). So the following stops a loop
   * for ever, though the monitor is free:
   *
   *   another thread   is in the monitor
   *   a coroutine      waits to enter it, and has left the carrier
   *   the carrier      waits to enter it: it loads a class, and the monitor is that of the jar
   *   another thread   leaves; the coroutine is the successor, and is ready to run
   *   the carrier      is not woken, so it never runs the coroutine
   *
   * Or a thread in between waits for that monitor, and holds one that the carrier waits for.
   *
   * From JDK 26 on, a platform thread that waits behind a virtual one tries again by itself, after
   * a second at the latest (JDK-8369019). JDK 25 does so for pinned virtual threads only, and not
   * when they enter again after a notification. This thread does it for all platform threads.
   *
   * The watchdog may wait behind the same coroutine, because it loads classes and takes locks of
   * the JDK. So this is not a part of its rounds. This thread itself must never wait for a monitor:
   * prepare() loads all its classes, and it calls nothing else.
   *
   * It lives as long as the watchdog, which starts it before it does anything else, and again if
   * that failed. So simulations, which have no watchdog, do without.
   *
   * Cost. One wake-up a second, and a field read for each platform thread.
   *
   * Rejected. Only to keep the carrier from loading classes: it does where that was seen to matter
   * (CarrierClassesTest), but nobody knows all the monitors of the JDK and of libraries. Only
   * carriers: see the thread in between.
   */
  private static final String NAME = "heddle-blocked-threads";
  private static final long PERIOD_NANOS = 1_000_000_000; // the longest that JDK 26 waits

  private final Thread watchdog;

  private BlockedThreads(Thread watchdog) {
    this.watchdog = watchdog;
  }

  /// Loads what its thread needs. **Thread** the one that starts the watchdog.
  static void prepare() {
    var body = new BlockedThreads(Thread.currentThread());
    MonitorRetry.tryAgain(DaemonThread.of(NAME, body)); // which never begins: the call is linked
    MonitorRetry.retryBlocked();
  }

  /// Starts it where the JDK needs it, for as long as `watchdog` lives. Throws OutOfMemoryError
  /// when the system has no more threads.
  ///
  /// @return its thread; null if the JDK does without
  static @Nullable Thread start(Thread watchdog) {
    return MonitorRetry.isNeeded() ? DaemonThread.start(NAME, new BlockedThreads(watchdog)) : null;
  }

  @Override
  public void run() {
    while (watchdog.isAlive()) {
      LockSupport.parkNanos(this, PERIOD_NANOS);
      MonitorRetry.retryBlocked();
    }
  }
}
