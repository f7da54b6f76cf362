// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.time;

/// How the clock of a host differs from the time of its simulation.
///
/// @param offsetNanos what it shows at the time 0
/// @param partsPerMillion by how much it is too fast; negative: too slow. Between -500,000 and
///   1,000,000: from half to twice as fast
public record ClockDrift(long offsetNanos, int partsPerMillion) {
  /// None.
  public static final ClockDrift NONE = new ClockDrift(0, 0);

  private static final long MILLION = 1_000_000;
  private static final int SLOWEST = -500_000;

  /// Checks the rate.
  ///
  /// @throws IllegalArgumentException when it is out of range
  public ClockDrift {
    if (partsPerMillion < SLOWEST || partsPerMillion > MILLION) {
      throw new IllegalArgumentException(
          "a clock is from half to twice as fast, -500,000 to 1,000,000 parts per million, not "
              + partsPerMillion);
    }
  }

  /// What the clock shows at a time of the simulation.
  public long local(long time) {
    return offsetNanos + scaled(time);
  }

  // in two parts: the product of the whole would overflow after 3 hours
  private long scaled(long time) {
    return time
        + time / MILLION * partsPerMillion
        + Math.floorDiv(time % MILLION * partsPerMillion, MILLION);
  }

  /// The first time of the simulation at which the clock shows `local` or more.
  public long truth(long local) {
    if (partsPerMillion == 0) {
      return local - offsetNanos;
    }
    long shown = local - offsetNanos;
    long rate = MILLION + partsPerMillion;
    long guess = shown / rate * MILLION + shown % rate * MILLION / rate;
    while (scaled(guess) >= shown) {
      guess--;
    }
    while (scaled(guess) < shown) {
      guess++;
    }
    return guess;
  }
}
