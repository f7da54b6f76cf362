// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

/// One figure of a case, printed as one line per contender.
///
/// @param name the line's first column
/// @param metric the figure
/// @param charted whether there is something to see in a picture: not where all are given the same
public record Row(String name, Metric metric, boolean charted) {
  /// One with a picture.
  public Row(String name, Metric metric) {
    this(name, metric, true);
  }
}
