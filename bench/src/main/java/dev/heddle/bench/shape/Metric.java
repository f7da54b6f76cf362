// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.measure.Sample;
import java.util.function.ToDoubleFunction;

/// The figure a row shows.
///
/// @param unit as printed
/// @param of how a sample gives it
/// @param moreIsBetter false for times, bytes and counts, true for rates
public record Metric(String unit, ToDoubleFunction<Sample> of, boolean moreIsBetter) {
  /// Wall time of one operation.
  public static final Metric WALL = new Metric("ns", Sample::wallPerOperation);

  /// CPU time of one operation, of all threads of the process.
  public static final Metric CPU = new Metric("ns CPU", Sample::cpuPerOperation);

  /// The same in microseconds.
  public static final Metric CPU_MICROS =
      new Metric("us CPU", sample -> sample.cpuPerOperation() / 1e3);

  /// Wall time of the whole round, in seconds.
  public static final Metric ROUND_SECONDS = new Metric("s", sample -> sample.wallNanos() / 1e9);

  /// Of less is better.
  public Metric(String unit, ToDoubleFunction<Sample> of) {
    this(unit, of, false);
  }

  /// Operations per second of wall time.
  public static Metric rate(String unit) {
    return new Metric(unit, sample -> 1e9 / sample.wallPerOperation(), true);
  }

  /// A count the program reports.
  public static Metric count(String name, String unit) {
    return new Metric(unit, sample -> sample.count(name));
  }
}
