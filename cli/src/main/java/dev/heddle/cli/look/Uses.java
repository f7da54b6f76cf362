// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.look;

import java.util.Locale;
import java.util.Properties;

/// What a coroutine, or all of a site, use of their loop, in words.
public final class Uses {
  private static final long MICRO = 1_000; // nanoseconds
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000_000_000;

  private Uses() {}

  /// A row of accounts in a line.
  static String inWords(Properties row) {
    return "since there are accounts: %,d runs, %s busy, the longest run %s, %s between runs"
        .formatted(
            Look.count(row, "runs"),
            time(Look.count(row, "busyNanos")),
            time(Look.count(row, "longestNanos")),
            time(Look.count(row, "waitedNanos")));
  }

  /// A time with its unit.
  public static String time(long nanos) {
    if (nanos < MILLI) {
      return format(nanos, MICRO, "us");
    }
    return nanos < SECOND ? format(nanos, MILLI, "ms") : format(nanos, SECOND, "s");
  }

  private static String format(long nanos, long unit, String name) {
    return String.format(Locale.ROOT, "%.1f %s", (double) nanos / unit, name);
  }
}
