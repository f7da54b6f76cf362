// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.load;

/// How often a load asks, whether there are answers or not.
///
/// @param peak the rate of which it is a part
/// @param percent the part
public record Pace(Peak peak, int percent) {
  private static final int WHOLE = 100;

  /// Nanoseconds from one request to the next.
  public double interval() {
    return 1e9 * WHOLE / (peak.perSecond() * percent);
  }
}
