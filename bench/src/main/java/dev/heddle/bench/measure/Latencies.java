// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import org.HdrHistogram.Histogram;

/// The counts of a sample whose operations were due at a fixed rate: latencies in microseconds, and
/// the rate.
public final class Latencies {
  /// Half of the operations took at most so long.
  public static final String MEDIAN = "p50-micros";

  /// 99 of 100 did.
  public static final String P99 = "p99-micros";

  /// 999 of 1,000 did.
  public static final String P999 = "p999-micros";

  /// All did.
  public static final String MAX = "max-micros";

  /// How many operations a second were due.
  public static final String OFFERED = "offered-per-second";

  private static final double MICRO = 1e3;

  private Latencies() {}

  /// The same sample with these counts.
  ///
  /// @param nanos how long operations took
  /// @param perSecond how many were due
  public static Sample in(Sample sample, Histogram nanos, double perSecond) {
    return sample
        .with(MEDIAN, nanos.getValueAtPercentile(50) / MICRO)
        .with(P99, nanos.getValueAtPercentile(99) / MICRO)
        .with(P999, nanos.getValueAtPercentile(99.9) / MICRO)
        .with(MAX, nanos.getMaxValue() / MICRO)
        .with(OFFERED, perSecond);
  }
}
