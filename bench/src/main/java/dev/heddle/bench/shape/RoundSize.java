// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

/// How many operations a round has, and who runs at the same time.
///
/// @param least operations of the smallest round that means anything
/// @param most operations of the largest one; the driver picks in between so that rounds take alike
/// @param tiny operations of a round that only shows that the program works
/// @param timed true where operations are milliseconds, which a round lasts whatever the effort
/// @param together true where contenders idle, so that they are watched at the same time
/// @param warmUps how many times as long as others they are warmed up, if the shape's time allows
public record RoundSize(
    long least, long most, long tiny, boolean timed, boolean together, int warmUps) {
  private static final int WARM_UP_PART = 10;
  private static final int OF_TWO_JVMS = 10;

  /// Checks the bounds.
  public RoundSize {
    if (tiny <= 0 || tiny > least || least > most) {
      throw new IllegalArgumentException(
          "Bounds out of order: " + tiny + ", " + least + ", " + most);
    }
  }

  /// As many operations as fit the round's time.
  public static RoundSize calibrated(long least, long tiny) {
    return new RoundSize(least, Long.MAX_VALUE, tiny, false, false, 1);
  }

  /// As many as fit the round's time, of contenders that work in two JVMs. These compile beside
  /// each other: with two processors `byte[100]` to another node was twice as fast after 20 s as
  /// after 2 s.
  public static RoundSize ofTwoJvms(long least, long tiny) {
    return new RoundSize(least, Long.MAX_VALUE, tiny, false, false, OF_TWO_JVMS);
  }

  /// Always the same number.
  public static RoundSize fixed(long operations, long tiny) {
    return new RoundSize(operations, operations, tiny, false, false, 1);
  }

  /// Works for so many milliseconds.
  public static RoundSize timed(long millis, long tinyMillis) {
    return new RoundSize(millis, millis, tinyMillis, true, false, 1);
  }

  /// Waits so many milliseconds, all contenders at the same time.
  public static RoundSize idle(long millis, long tinyMillis) {
    return new RoundSize(millis, millis, tinyMillis, true, true, 1);
  }

  /// Whether every round has the same number.
  public boolean isFixed() {
    return least == most;
  }

  /// How many operations a warm-up round begins with: many small rounds compile better than one
  /// large one.
  public long warmUp() {
    return isFixed() ? Math.max(tiny, least / WARM_UP_PART) : least;
  }

  /// The nearest allowed number of operations.
  public long clamp(double operations) {
    return (long) Math.clamp(operations, (double) least, (double) most);
  }
}
