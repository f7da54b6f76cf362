// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.partner;

import dev.heddle.bench.measure.Sample;
import java.util.Arrays;

/// The times of round trips, one after the other.
///
/// **Thread** one at a time writes.
public final class Trips {
  /// The count of a sample for the median, in microseconds.
  public static final String P50 = "p50-micros";

  /// The same for the 99th percentile.
  public static final String P99 = "p99-micros";

  private final long[] nanos;
  private int size;

  /// Room for so many.
  public Trips(long trips) {
    nanos = new long[Math.toIntExact(trips)];
  }

  /// A round trip that began then is over.
  ///
  /// @return whether it was the last
  public boolean since(long nanoTime) {
    nanos[size++] = System.nanoTime() - nanoTime;
    return size == nanos.length;
  }

  /// The time that this part of the trips took at most, in microseconds.
  public double micros(double part) {
    long[] sorted = Arrays.copyOf(nanos, size);
    Arrays.sort(sorted);
    return sorted[(int) Math.ceil(part * size) - 1] / 1e3;
  }

  /// The same sample with these times.
  public Sample in(Sample sample) {
    if (size != nanos.length) {
      throw new IllegalStateException(size + " of " + nanos.length + " round trips were over");
    }
    return sample.with(P50, micros(0.5)).with(P99, micros(0.99));
  }
}
