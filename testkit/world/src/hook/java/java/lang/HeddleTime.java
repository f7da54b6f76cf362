// SPDX-License-Identifier: Apache-2.0
package java.lang;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import jdk.internal.misc.VM;

/// Clocks and timed waits.
public final class HeddleTime {
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private HeddleTime() {}

  /// Instead of `System.nanoTime()`.
  public static long nanoTime() {
    HeddleWorld world = HeddleWorld.current();
    return world == null ? System.nanoTime() : world.nanoTime();
  }

  /// Instead of `System.currentTimeMillis()`.
  public static long currentTimeMillis() {
    HeddleWorld world = HeddleWorld.current();
    return world == null
        ? System.currentTimeMillis()
        : Math.floorDiv(world.epochNanos(), NANOS_PER_MILLI);
  }

  /// Instead of `VM.getNanoTimeAdjustment(offset)`, by which `java.time.Clock` reads the time: the
  /// nanoseconds since `offset` seconds of the epoch.
  public static long nanoTimeAdjustment(long offset) {
    HeddleWorld world = HeddleWorld.current();
    return world == null
        ? VM.getNanoTimeAdjustment(offset)
        : world.epochNanos() - offset * NANOS_PER_SECOND;
  }

  /// Instead of `VirtualThread.DelayedTaskSchedulers.schedule(...)`: a timed park or `Object.wait`
  /// of a virtual thread with a scheduler of its own begins.
  public static Future<?> schedule(Runnable command, long delay, TimeUnit unit) {
    HeddleWorld world = HeddleWorld.current();
    return world == null
        ? HeddleInternals.schedule(command, delay, unit)
        : world.schedule(command, unit.toNanos(delay));
  }

  /// Instead of `Thread.onSpinWait()`: the current coroutine continues when others have run.
  public static void onSpinWait() {
    HeddleWorld world = HeddleWorld.current();
    if (world != null && Thread.currentThread() instanceof VirtualThread self) {
      world.onSpin();
      self.tryYield();
    } else {
      Thread.onSpinWait();
    }
  }
}
