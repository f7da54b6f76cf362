// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.util.LinkedHashMap;
import java.util.Map;

/// The figures of one round.
///
/// @param operations operations inside the measured part
/// @param wallNanos length of the measured part
/// @param cpuNanos CPU time of the whole measured process in it, compiler threads left out
/// @param counts further figures by name; allocated bytes, where its runtime tells them
public record Sample(long operations, long wallNanos, long cpuNanos, Map<String, Double> counts) {
  /// Copies the counts.
  public Sample {
    if (operations <= 0) {
      throw new IllegalArgumentException("A sample needs operations, found " + operations);
    }
    counts = Map.copyOf(counts);
  }

  /// The same sample with one more count.
  public Sample with(String name, double value) {
    var more = new LinkedHashMap<>(counts);
    more.put(name, value);
    return new Sample(operations, wallNanos, cpuNanos, more);
  }

  /// Wall time of one operation.
  public double wallPerOperation() {
    return (double) wallNanos / operations;
  }

  /// CPU time of one operation.
  public double cpuPerOperation() {
    return (double) cpuNanos / operations;
  }

  /// A count by name.
  ///
  /// @throws IllegalArgumentException if the sample has no such count
  public double count(String name) {
    Double value = counts.get(name);
    if (value == null) {
      throw new IllegalArgumentException("No count '" + name + "' among " + counts.keySet());
    }
    return value;
  }
}
