// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.node.LoopbackSessions;
import dev.heddle.cluster.roster.LeaseTimes;
import java.time.Duration;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// Virtual time, and chance.
final class SimulatedTime {
  static final long HOUR = 3_600_000_000_000L;

  static final long MILLI = 1_000_000;

  /// How long a history is, and how much happens in it.
  ///
  /// @param nodes how many
  /// @param part of the times of the long one, as a divisor: of pauses, delays, leases; faults are
  ///   as many times more frequent
  record Scale(int nodes, int part, LeaseTimes lease) {
    static final Scale LONG = new Scale(5, 1, LeaseTimes.DEFAULT);
    static final Scale SHORT = new Scale(4, 4, LeaseTimes.holding(Duration.ofSeconds(2)));

    List<String> names() {
      return List.of("a", "b", "c", "d", "e").subList(0, nodes);
    }

    int millis(int ofLong) {
      return ofLong / part;
    }
  }

  private record Event(long nanos, long order, Runnable run) {}

  final Random random;
  final Scale scale;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>((a, b) ->
          a.nanos != b.nanos ? Long.compare(a.nanos, b.nanos) : Long.compare(a.order, b.order));
  private @Nullable LoopbackSessions sessions;
  private long now = 77_000_000_000L;
  private long order;
  private boolean calm;

  SimulatedTime(long seed, Scale scale) {
    this.scale = scale;
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
    while (true) {
      long own = events.isEmpty() ? Long.MAX_VALUE : events.peek().nanos;
      long next = sessions == null ? own : Math.min(own, sessions.nextAt());
      if (next > end) {
        break;
      }
      now = Math.max(now, next);
      if (sessions != null) {
        sessions.advanceTo(now);
      }
      if (own <= now) {
        events.remove().run.run();
      }
    }
    now = end;
  }

  /// Sessions have the same time.
  void drives(LoopbackSessions these) {
    sessions = these;
  }

  /// A fault that is rare in a long history.
  boolean rarely(int permille) {
    return chance(permille * scale.part);
  }

  boolean chance(int permille) {
    return !calm && random.nextInt(1_000) < permille;
  }

  long between(int from, int to) {
    return (long) from + random.nextInt(to - from);
  }

  /// Mostly short, at times long.
  long delay() {
    return chance(20) ? between(200, scale.millis(4_000)) : between(1, 15);
  }
}
