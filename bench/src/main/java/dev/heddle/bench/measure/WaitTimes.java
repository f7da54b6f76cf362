// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.util.Arrays;

/// How long each of some operations has waited. **Thread** one writes, any reads.
public final class WaitTimes {
  /// The count of a sample for the 99th percentile, in milliseconds.
  public static final String P99 = "p99-millis";

  /// The same for the longest.
  public static final String WORST = "worst-millis";

  private final long[] nanos;
  private volatile int size; // one writes

  /// Room for so many.
  public WaitTimes(long operations) {
    nanos = new long[Math.toIntExact(operations)];
  }

  /// One that began at that time has its turn.
  public void since(long nanoTime) {
    int place = size;
    nanos[place] = System.nanoTime() - nanoTime;
    size = place + 1;
  }

  /// Whether all have had their turn.
  public boolean isComplete() {
    return size == nanos.length;
  }

  /// The same sample with these waits.
  ///
  /// @throws IllegalStateException when some are missing
  public Sample in(Sample sample) {
    if (!isComplete()) {
      throw new IllegalStateException(size + " of " + nanos.length + " had their turn");
    }
    Arrays.sort(nanos);
    int place = (int) Math.ceil(0.99 * size) - 1;
    return sample.with(P99, nanos[place] / 1e6).with(WORST, nanos[size - 1] / 1e6);
  }
}
