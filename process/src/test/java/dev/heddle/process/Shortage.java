// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Stands before each allocation of the classes that [ShortageLoader] defines: some of them find no
/// memory.
public final class Shortage {
  // a test
  private static volatile boolean armed;
  private static volatile int failing;
  private static volatile boolean everywhere;

  private static volatile @Nullable Runnable instead; // of a failure

  // threads that allocate
  private static final AtomicInteger count = new AtomicInteger();

  private Shortage() {}

  /// From the `first` allocation on so many fail.
  ///
  /// @param threads whether also on threads that are not the runtime's
  static void begin(int first, int many, boolean threads) {
    count.set(-first);
    failing = many;
    everywhere = threads;
    armed = true;
  }

  /// Whether the first has failed.
  static boolean hasBegun() {
    return count.get() >= 0;
  }

  /// Runs `hook` where the runtime's threads would allocate; null: no more.
  static void replaceBy(@Nullable Runnable hook) {
    instead = hook;
  }

  /// Ends the shortage.
  ///
  /// @return how many allocations there were beyond the first that was to fail; negative when that
  ///   did not come
  static int end() {
    armed = false;
    return count.get();
  }

  /// Code is about to allocate.
  public static void allocate() {
    Runnable hook = instead;
    if (hook != null && isMeant()) {
      hook.run();
    }
    if (armed && isMeant()) {
      int now = count.incrementAndGet();
      if (now >= 0 && now < failing) {
        throw new OutOfMemoryError("made by a test");
      }
    }
  }

  private static boolean isMeant() {
    String name = Thread.currentThread().getName();
    return everywhere || name.contains("-worker-") || name.startsWith("heddle-monitor");
  }
}
