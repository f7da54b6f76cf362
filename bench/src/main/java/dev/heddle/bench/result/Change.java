// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.result;

import java.util.Arrays;

/// What became of a figure from one commit to another, and whether that is more than noise.
///
/// Both commits start several times, in processes of their own. What the compilers of a JVM chose
/// stays for as long as it lives, so the rounds of one start do not differ by all that chance can
/// do: a start counts as one observation, the median of its rounds' quotients. The range is that of
/// the sign test, which asks nothing of the distribution: a median that did not change lies in it
/// in 98 of 100 cases.
///
/// @param ratio the median over the starts of the later figure divided by the earlier
/// @param low where the range begins
/// @param high where the range ends
/// @param starts how many
public record Change(double ratio, double low, double high, int starts) {
  /// How many starts it takes until the range says anything.
  public static final int LEAST_STARTS = 7;

  private static final double DOUBT = 0.02; // that the median lies outside the range
  private static final double LEAST = 0.01; // what is less is of no use to anybody

  /// Of the quotients of some starts.
  ///
  /// @throws IllegalArgumentException if there are none
  public static Change of(double... ratios) {
    Spread spread = Spread.of(ratios);
    double[] sorted = ratios.clone();
    Arrays.sort(sorted);
    int outside = outside(sorted.length);
    return outside < 0
        ? new Change(spread.median(), 0, Double.POSITIVE_INFINITY, sorted.length)
        : new Change(
            spread.median(), sorted[outside], sorted[sorted.length - 1 - outside], sorted.length);
  }

  /// What it comes to.
  public Direction direction() {
    if (starts < LEAST_STARTS) {
      return Direction.TOO_FEW_STARTS;
    }
    if (low > 1 && ratio >= 1 + LEAST) {
      return Direction.MORE;
    }
    return high < 1 && ratio <= 1 - LEAST ? Direction.LESS : Direction.WITHIN_NOISE;
  }

  /// How many of the smallest and of the largest values the range leaves out; -1 if no range has so
  /// few doubts. The chance that the median is below the k-th smallest of n values is that of fewer
  /// than k heads in n throws.
  private static int outside(int count) {
    double term = Math.pow(0.5, count); // of exactly `out` heads
    double below = 0;
    int out = -1;
    for (int heads = 0; heads < count / 2; heads++) {
      below += term;
      if (2 * below > DOUBT) {
        break;
      }
      out = heads;
      term = term * (count - heads) / (heads + 1);
    }
    return out;
  }

  /// Where a figure went.
  public enum Direction {
    /// It is larger.
    MORE,
    /// It is smaller.
    LESS,
    /// Chance may have done it.
    WITHIN_NOISE,
    /// Nothing can be said.
    TOO_FEW_STARTS
  }
}
