// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
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
   * On Windows it also sets an event that stays set until an interrupt is cleared, and that ends
   * waits for processes. So it is not done there.
   */
  private static final @Nullable MethodHandle WAKE =
      find(own -> own.findVirtual(Thread.class, "interrupt0", methodType(void.class)));
  private static final @Nullable MethodHandle THREADS =
      find(own -> own.findStatic(Thread.class, "getThreads", methodType(Thread[].class)));
  private static final boolean MAY_LEAVE_WAITING = Runtime.version().feature() == 25;

  private MonitorRetry() {}

  private interface Search {
    MethodHandle in(MethodHandles.Lookup own) throws ReflectiveOperationException;
  }

  private static @Nullable MethodHandle find(Search search) {
    if (System.getProperty("os.name", "").startsWith("Windows")) {
      return null;
    }
    try {
      return search.in(MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup()));
    } catch (ReflectiveOperationException _) {
      return null;
    }
  }

  /// Why a loop can stop for ever on this JDK; null if it cannot.
  public static @Nullable String problem() {
    return MAY_LEAVE_WAITING && (WAKE == null || THREADS == null)
        ? "JDK-8369019: a loop can stop for ever when its own thread and one of its coroutines wait"
            + " for the same monitor; on this system Heddle cannot have the thread try again"
        : null;
  }

  /// Whether this JDK needs it, and it can be done.
  public static boolean isNeeded() {
    return MAY_LEAVE_WAITING && WAKE != null && THREADS != null;
  }

  /// Has each platform thread that waits to enter a monitor try again. If a virtual thread is
  /// pinned to it, that one does. **Thread** any; it neither waits nor fails.
  public static void retryBlocked() {
    if (THREADS == null) {
      return;
    }
    try {
      for (Thread thread : (Thread[]) THREADS.invokeExact()) {
        if (thread.getState() == Thread.State.BLOCKED) {
          tryAgain(thread);
        }
      }
    } catch (Throwable _) {
      return; // safe: no memory for the list, and the next round tries again
    }
  }

  /// Ends the waits of `thread` in the JVM, so that it tries again. **Thread** any; never waits.
  public static void tryAgain(Thread thread) {
    if (WAKE == null) {
      return;
    }
    try {
      WAKE.invokeExact(thread);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("the JDK was asked to wake " + thread, e);
    }
  }
}
