// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import java.time.Duration;

/// How long a packet takes from one host to another: any time of a range, and now and then, one of
/// a longer range. An immutable value.
///
/// {@snippet class=dev.heddle.test.net.NetworkSnippetsTest region=links}
///
/// @since 0.1
public final class Latency {
  private final Duration least;
  private final Duration most;
  private final double tailChance;
  private final Duration tail;

  private Latency(Duration least, Duration most, double tailChance, Duration tail) {
    if (least.isNegative() || most.compareTo(least) < 0 || tail.compareTo(most) < 0) {
      throw new IllegalArgumentException(
          "a latency has 0 <= least <= most <= tail, not " + least + ", " + most + ", " + tail);
    }
    Faults.requireProbability("tailChance", tailChance);
    this.least = least;
    this.most = most;
    this.tailChance = tailChance;
    this.tail = tail;
  }

  /// Always the same time.
  ///
  /// @throws IllegalArgumentException when it is negative
  public static Latency of(Duration time) {
    return new Latency(time, time, 0, time);
  }

  /// Any time of a range whose ends are included, each as likely.
  ///
  /// @throws IllegalArgumentException when a time is negative, or the range is empty
  public static Latency between(Duration least, Duration most) {
    return new Latency(least, most, 0, most);
  }

  /// This one, and now and then up to `longest`.
  ///
  /// @param chance the probability of an unusual time, from 0 to 1
  /// @param longest the longest unusual time; they begin where the usual ones end
  /// @throws IllegalArgumentException when the probability is none, or the unusual times are
  ///   shorter than usual ones
  public Latency withTail(double chance, Duration longest) {
    return new Latency(least, most, chance, longest);
  }

  /// The shortest time.
  public Duration least() {
    return least;
  }

  /// The longest usual time.
  public Duration most() {
    return most;
  }

  /// The probability of an unusual time, from 0 to 1.
  public double tailChance() {
    return tailChance;
  }

  /// The longest unusual time.
  public Duration tail() {
    return tail;
  }
}
