// SPDX-License-Identifier: Apache-2.0
package java.lang;

import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import jdk.internal.misc.Unsafe;

/// `ForkJoinPool`: it parks its workers by `Unsafe`, not by `LockSupport`, and one pool serves the
/// JVM.
public final class HeddlePools {
  private static final long NANOS_PER_MILLI = 1_000_000;

  // what a library keeps in a static field must serve the next world, too
  private static final Executor OF_CURRENT =
      command -> common(ForkJoinPool.commonPool()).execute(command);

  private HeddlePools() {}

  /// Instead of `Unsafe.park(absolute, time)`.
  public static void park(Unsafe unsafe, boolean absolute, long time) {
    if (HeddleWorld.current() == null || !(Thread.currentThread() instanceof VirtualThread self)) {
      unsafe.park(absolute, time);
    } else if (absolute) {
      self.parkNanos((time - HeddleTime.currentTimeMillis()) * NANOS_PER_MILLI);
    } else if (time == 0) {
      self.park();
    } else {
      self.parkNanos(time);
    }
  }

  /// Instead of `Unsafe.unpark(thread)`.
  public static void unpark(Unsafe unsafe, Object thread) {
    Thread target = HeddleThreads.target((Thread) thread);
    if (target instanceof VirtualThread body) {
      body.unpark();
    } else {
      unsafe.unpark(target);
    }
  }

  /// Filters the JVM's common pool: each world has its own.
  public static ForkJoinPool common(ForkJoinPool jdk) {
    HeddleWorld world = HeddleWorld.current();
    return world == null ? jdk : world.commonPool();
  }

  /// Filters the executor of a future that has none of its own.
  public static Executor defaultExecutor(Executor jdk) {
    return HeddleWorld.current() == null ? jdk : OF_CURRENT;
  }
}
