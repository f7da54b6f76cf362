// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.internal.DaemonThread;
import dev.heddle.scheduler.context.MonitorRetry;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/// The thread that has carriers try again to enter a monitor that may be free.
final class BlockedCarriers implements Runnable {
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
   * From JDK 26 on, a platform thread that waits behind a virtual one tries again by itself, after
   * a second at the latest (JDK-8369019). JDK 25 does so for pinned virtual threads only, and not
   * when they enter again after a notification. This thread does it for the carriers.
   *
   * The watchdog may wait behind the same coroutine, because it loads classes and takes locks of
   * the JDK. So this is not a part of its rounds. This thread itself must never wait for a monitor:
   * begin() loads all its classes, in the thread of a loop that has no coroutine yet, and it calls
   * nothing else.
   *
   * It lives as long as the watchdog. Loops that are not observed, which are those of simulations,
   * do without.
   *
   * Cost. One wake-up a second, and a field read for each loop.
   *
   * Rejected. Only to keep the carrier from loading classes: it does where that was seen to matter
   * (CarrierClassesTest), but nobody knows all the monitors of the JDK and of libraries.
   */
  private static final long PERIOD_NANOS = 1_000_000_000;

  private final Thread watchdog;
  private final Supplier<List<Thread>> carriers;

  private BlockedCarriers(Thread watchdog, Supplier<List<Thread>> carriers) {
    this.watchdog = watchdog;
    this.carriers = carriers;
  }

  /// Starts it where the JDK needs it, for as long as the thread `watchdog` lives, which has been
  /// started. **Thread** any. Throws OutOfMemoryError when the system has no more threads.
  ///
  /// @param carriers those of the loops there are; called by its thread, and once by the caller's
  static void begin(Thread watchdog, Supplier<List<Thread>> carriers) {
    if (MonitorRetry.isNeeded()) {
      List<Thread> _ = carriers.get();
      var body = new BlockedCarriers(watchdog, carriers);
      Thread own = DaemonThread.of("heddle-blocked-carriers", body);
      MonitorRetry.tryAgain(own); // which has not begun: this links the call, and does no more
      DaemonThread.start(own);
    }
  }

  @Override
  public void run() {
    while (watchdog.isAlive()) {
      LockSupport.parkNanos(this, PERIOD_NANOS);
      try {
        for (Thread carrier : carriers.get()) {
          MonitorRetry.ifBlocked(carrier);
        }
      } catch (OutOfMemoryError _) {
        // safe: the next round tries again
      }
    }
  }
}
