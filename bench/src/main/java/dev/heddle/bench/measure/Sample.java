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
  private static final int FIXED_FIELDS = 3;

  /// Copies the counts.
  public Sample {
    if (operations <= 0) {
      throw new IllegalArgumentException("A sample needs operations, found " + operations);
    }
    counts = Map.copyOf(counts);
  }

  /// A sample from what [#fields()] has made of it.
  ///
  /// @throws IllegalArgumentException if the text is no sample
  public static Sample parse(String fields) {
    String[] parts = fields.split("\t");
    if (parts.length < FIXED_FIELDS) {
      throw new IllegalArgumentException("No sample: " + fields);
    }
    return new Sample(
        Long.parseLong(parts[0]),
        Long.parseLong(parts[1]),
        Long.parseLong(parts[2]),
        counts(parts, FIXED_FIELDS));
  }

  /// Counts as [#fields()] writes them, from a part on.
  public static Map<String, Double> counts(String[] parts, int first) {
    Map<String, Double> counts = new LinkedHashMap<>();
    for (int i = first; i < parts.length; i++) {
      int equals = parts[i].indexOf('=');
      counts.put(parts[i].substring(0, equals), Double.parseDouble(parts[i].substring(equals + 1)));
    }
    return counts;
  }

  /// The sample as one line of text, its parts between tabs.
  public String fields() {
    var fields = new StringBuilder();
    fields.append(operations).append('\t').append(wallNanos).append('\t').append(cpuNanos);
    counts.forEach((name, value) -> fields.append('\t').append(name).append('=').append(value));
    return fields.toString();
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
