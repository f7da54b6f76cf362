// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import java.time.Duration;

/// How long a packet takes from one host to another: any time of a range, and now and then, one of
/// a longer range.
///
/// {@snippet class=dev.heddle.test.net.NetworkSnippetsTest region=links}
///
/// @param least shortest time
/// @param most longest usual time
/// @param tailChance the probability of an unusual time, from 0 to 1
/// @param tail the longest unusual time; it begins where the usual ones end
public record Latency(Duration least, Duration most, double tailChance, Duration tail) {
  /// Checks the range.
  ///
  /// @throws IllegalArgumentException when a time is negative, a range is empty, or the probability
  ///   is none
  public Latency {
    if (least.isNegative() || most.compareTo(least) < 0 || tail.compareTo(most) < 0) {
      throw new IllegalArgumentException(
          "a latency has 0 <= least <= most <= tail, not " + least + ", " + most + ", " + tail);
    }
    Faults.requireProbability("tailChance", tailChance);
  }

  /// Always the same time.
  public static Latency of(Duration time) {
    return new Latency(time, time, 0, time);
  }

  /// Any time of a range, each as likely.
  public static Latency between(Duration least, Duration most) {
    return new Latency(least, most, 0, most);
  }

  /// This one, and now and then up to `longest`.
  public Latency withTail(double chance, Duration longest) {
    return new Latency(least, most, chance, longest);
  }

  long draw(Chance chance) {
    boolean unusual = chance.happens(Chance.Concern.LATENCY, tailChance);
    Duration from = unusual ? most : least;
    Duration to = unusual ? tail : most;
    return chance.between(Chance.Concern.LATENCY, from.toNanos(), to.toNanos());
  }
}
