// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

/// What a bar looks at: the figures of one run.
public interface RunFigures {
  /// Whether this contender has figures in this row.
  boolean has(String row, String contender);

  /// The median of a contender's rounds in this row's unit.
  double median(String row, String contender);

  /// The median over the rounds of one contender's figure divided by the other's in the same round.
  double ratio(String row, String contender, String other);

  /// The same for CPU time per operation.
  double cpuRatio(String row, String contender, String other);

  /// The median of a count the contender's program reports.
  double count(String row, String contender, String name);
}
