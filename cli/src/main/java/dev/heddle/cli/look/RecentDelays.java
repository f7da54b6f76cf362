// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.look;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The delays of the last ten seconds. A feed counts them since its loop is watched, or since its
/// runtime began: after an hour no spike would move those figures.
///
/// A row has the counts as `delays`, a histogram whose bucket n has the delays below 2^n µs that
/// are in no earlier one. Of two looks the difference is what lies between them. **Thread** one at
/// a time.
public final class RecentDelays {
  private static final long WINDOW = TimeUnit.SECONDS.toNanos(10);
  private static final double MEDIAN = 0.5;
  private static final double MOST_OF_THEM = 0.99;

  private record Reading(long nanos, List<Long> counts) {}

  private final Map<String, ArrayDeque<Reading>> known = new HashMap<>(); // by number
  private final long longestGap;

  /// @param intervalNanos from look to look; after a gap that is much longer, a look is a first one
  public RecentDelays(long intervalNanos) {
    this.longestGap = WINDOW + 2 * intervalNanos;
  }

  /// Replaces the figures in the rows of a look by those of the last ten seconds, or since the
  /// first look when that is less long ago. Those of a first look stay as they are.
  public void narrow(Look look) {
    Set<String> there = new HashSet<>();
    for (Look.Seen each : look.seen()) {
      String counts = each.own().getProperty("delays");
      if (counts != null) { // an older version has none
        there.add(each.number());
        narrow(each.number(), each.own(), new Reading(look.nanos(), read(counts)));
      }
    }
    known.keySet().retainAll(there);
  }

  private static List<Long> read(String counts) {
    return Stream.of(counts.split(" ")).map(Long::valueOf).toList();
  }

  private void narrow(String number, Properties own, Reading now) {
    ArrayDeque<Reading> readings = known.computeIfAbsent(number, _ -> new ArrayDeque<>());
    if (!readings.isEmpty() && isAnew(readings.getLast(), now)) {
      readings.clear();
    }
    Reading base = base(readings, now.nanos);
    readings.add(now);
    if (base != null) {
      List<Long> counts = since(base, now);
      own.setProperty("delaySamples", Long.toString(sum(counts)));
      own.setProperty("delayMedianMicros", Long.toString(percentile(counts, MEDIAN)));
      own.setProperty("delay99Micros", Long.toString(percentile(counts, MOST_OF_THEM)));
    }
  }

  /// The last reading that is as old as the window, or else the oldest one; the others before it
  /// are forgotten.
  private static @Nullable Reading base(ArrayDeque<Reading> readings, long now) {
    while (readings.size() > 1) {
      Reading first = readings.remove();
      if (now - readings.element().nanos < WINDOW) {
        readings.addFirst(first);
        break;
      }
    }
    return readings.peek();
  }

  private static List<Long> since(Reading earlier, Reading now) {
    int size = Math.min(earlier.counts.size(), now.counts.size());
    return IntStream.range(0, size)
        .mapToObj(i -> now.counts.get(i) - earlier.counts.get(i))
        .toList();
  }

  /// Whether nobody has looked for a while, or the feed was closed meanwhile, and counts anew.
  private boolean isAnew(Reading last, Reading now) {
    return now.nanos - last.nanos > longestGap || isBelowZero(since(last, now));
  }

  private static boolean isBelowZero(List<Long> counts) {
    return counts.stream().anyMatch(count -> count < 0);
  }

  private static long sum(List<Long> counts) {
    return counts.stream().mapToLong(Long::longValue).sum();
  }

  /// The bound in µs that a part of the delays do not exceed; 0 when there are none.
  private static long percentile(List<Long> counts, double part) {
    long needed = (long) Math.ceil(sum(counts) * part);
    long seen = 0;
    for (int i = 0; i < counts.size() && needed > 0; i++) {
      seen += counts.get(i);
      if (seen >= needed) {
        return 1L << i;
      }
    }
    return 0;
  }
}
