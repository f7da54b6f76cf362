// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/// Has a platform thread that waits to enter a monitor try again.
public final class MonitorRetry {
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
   * when they enter again after a notification.
   *
   * The native half of Thread.interrupt() ends the thread's waits in the JVM and sets no flag. A
   * thread that waits to enter a monitor then tries again, and waits on if it is not free. If the
   * thread has gone on meanwhile, that is one of the wake-ups without a cause that every park and
   * every Object.wait() may have.
   */
  private static final @Nullable MethodHandle WAKE = find();

  private MonitorRetry() {}

  private static @Nullable MethodHandle find() {
    try {
      return MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
          .findVirtual(Thread.class, "interrupt0", MethodType.methodType(void.class));
    } catch (ReflectiveOperationException _) {
      return null;
    }
  }

  /// What a JDK of this version lacks for it; null if nothing.
  public static @Nullable String problem() {
    return WAKE == null && Runtime.version().feature() == 25
        ? "JDK-8369019: a loop can stop for ever when its own thread and one of its coroutines wait"
            + " for the same monitor, and this JDK has no Thread.interrupt0 to wake it by; run"
            + " Heddle on JDK 25.0.3 or a later update of 25"
        : null;
  }

  /// Has `thread` try again, if it waits to enter a monitor. **Thread** any.
  ///
  /// @param thread a platform thread; if a virtual thread is pinned to it, that one tries again
  public static void ifBlocked(Thread thread) {
    if (WAKE == null || thread.getState() != Thread.State.BLOCKED) {
      return;
    }
    try {
      WAKE.invokeExact(thread);
    } catch (Throwable e) {
      throw new IllegalStateException("the JDK was asked to wake " + thread, e);
    }
  }
}
