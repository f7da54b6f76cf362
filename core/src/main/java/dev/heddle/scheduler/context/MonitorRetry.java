// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/// Has a platform thread that waits to enter a monitor try again, since JDK 25 may leave it waiting
/// though the monitor is free (JDK-8369019).
public final class MonitorRetry {
  /*
   * The native half of Thread.interrupt() ends the thread's waits in the JVM and sets no flag. A
   * thread that waits to enter a monitor then tries again, and waits on if it is not free. If the
   * thread has gone on meanwhile, that is one of the wake-ups without a cause that every park and
   * every Object.wait() may have; Thread.sleep() sleeps on.
   *
   * On Windows it also sets an event that stays set until the next interrupt, and that ends waits
   * for processes. So it is not done there.
   */
  private static final @Nullable MethodHandle WAKE = find();
  private static final boolean IS_OLD = Runtime.version().feature() == 25;

  private MonitorRetry() {}

  private static @Nullable MethodHandle find() {
    if (System.getProperty("os.name", "").startsWith("Windows")) {
      return null;
    }
    try {
      return MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
          .findVirtual(Thread.class, "interrupt0", MethodType.methodType(void.class));
    } catch (ReflectiveOperationException | RuntimeException _) {
      return null;
    }
  }

  /// Why a loop can stop for ever on this JDK; null if it cannot.
  public static @Nullable String problem() {
    return IS_OLD && WAKE == null
        ? "JDK-8369019: a loop can stop for ever when its own thread and one of its coroutines wait"
            + " for the same monitor; on this system Heddle cannot have the thread try again"
        : null;
  }

  /// Whether this JDK needs it, and it can be done.
  public static boolean isNeeded() {
    return IS_OLD && WAKE != null;
  }

  /// Has `thread` try again, if it waits to enter a monitor. **Thread** any; never waits.
  ///
  /// @param thread a platform thread; if a virtual thread is pinned to it, that one tries again
  public static void ifBlocked(Thread thread) {
    if (thread.getState() == Thread.State.BLOCKED) {
      tryAgain(thread);
    }
  }

  /// Ends the waits of `thread` in the JVM, so that it tries again. **Thread** any; never waits.
  public static void tryAgain(Thread thread) {
    if (WAKE == null) {
      return;
    }
    try {
      WAKE.invokeExact(thread);
    } catch (Throwable e) {
      throw new IllegalStateException("the JDK was asked to wake " + thread, e);
    }
  }
}
