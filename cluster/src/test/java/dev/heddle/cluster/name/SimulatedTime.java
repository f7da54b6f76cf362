// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import java.util.PriorityQueue;
import java.util.Random;

/// Virtual time, and chance.
final class SimulatedTime {
  static final long HOUR = 3_600_000_000_000L;

  static final long MILLI = 1_000_000;

  private record Event(long nanos, long order, Runnable run) {}

  final Random random;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>((a, b) ->
          a.nanos != b.nanos ? Long.compare(a.nanos, b.nanos) : Long.compare(a.order, b.order));
  private long now = 77_000_000_000L;
  private long order;
  private boolean calm;

  SimulatedTime(long seed) {
    random = new Random(seed);
  }

  long now() {
    return now;
  }

  /// Nothing bad happens by chance any more.
  void calm() {
    calm = true;
  }

  boolean isCalm() {
    return calm;
  }

  void at(long nanos, Runnable run) {
    events.add(new Event(Math.max(nanos, now), order++, run));
  }

  void after(long millis, Runnable run) {
    at(now + millis * MILLI, run);
  }

  void runFor(long millis) {
    long end = now + millis * MILLI;
    while (!events.isEmpty() && events.peek().nanos <= end) {
      Event event = events.remove();
      now = event.nanos;
      event.run.run();
    }
    now = end;
  }

  boolean chance(int permille) {
    return !calm && random.nextInt(1_000) < permille;
  }

  long between(int from, int to) {
    return (long) from + random.nextInt(to - from);
  }

  /// Mostly short, at times long.
  long delay() {
    return chance(20) ? between(200, 4_000) : between(1, 15);
  }
}
