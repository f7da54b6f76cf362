// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.measure.Sample;
import java.util.function.ToDoubleFunction;

/// The figure a row shows, less is better.
///
/// @param unit as printed
/// @param of how a sample gives it
public record Metric(String unit, ToDoubleFunction<Sample> of) {
  /// Wall time of one operation.
  public static final Metric WALL = new Metric("ns", Sample::wallPerOperation);

  /// CPU time of one operation, of all threads of the process.
  public static final Metric CPU = new Metric("ns CPU", Sample::cpuPerOperation);

  /// The same in microseconds.
  public static final Metric CPU_MICROS =
      new Metric("us CPU", sample -> sample.cpuPerOperation() / 1e3);

  /// Wall time of the whole round, in seconds.
  public static final Metric ROUND_SECONDS = new Metric("s", sample -> sample.wallNanos() / 1e9);

  /// A count the program reports.
  public static Metric count(String name, String unit) {
    return new Metric(unit, sample -> sample.count(name));
  }
}
