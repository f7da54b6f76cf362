// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.result;

import java.util.Arrays;

/// Median and spread of a few rounds.
///
/// @param median the middle one
/// @param low the 10th percentile
/// @param high the 90th percentile
public record Spread(double median, double low, double high) {
  /// Of some values.
  ///
  /// @throws IllegalArgumentException if there are none
  public static Spread of(double... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("No values");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return new Spread(at(sorted, 0.5), at(sorted, 0.1), at(sorted, 0.9));
  }

  private static double at(double[] sorted, double quantile) {
    double place = quantile * (sorted.length - 1);
    int below = (int) place;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }
}
