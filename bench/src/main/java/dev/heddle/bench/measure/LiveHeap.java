// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.lang.management.ManagementFactory;

/// What is live on the heap.
public final class LiveHeap {
  private static final int COLLECTIONS = 2; // the first may leave what references and cleaners held

  private LiveHeap() {}

  /// Bytes live after full collections.
  public static long bytes() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
