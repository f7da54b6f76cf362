// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

import java.time.Duration;
import java.util.Locale;

/// Numbers and times as reports and messages write them, independent of the locale.
public final class InWords {
  private InWords() {}

  /// A number with its thousands apart: `1,000`.
  public static String number(long n) {
    return String.format(Locale.ROOT, "%,d", n);
  }

  /// A number of things: `1 item`, `2 items`.
  ///
  /// @param what the singular, whose plural ends in an s
  public static String count(long n, String what) {
    return n == 1 ? "1 " + what : number(n) + " " + what + "s";
  }

  /// A time to two units or a tenth of a second: `2 h 5 min`, `5.8 s`, `100 ms`.
  public static String duration(Duration time) {
    if (time.toMinutes() > 0) {
      return time.toHours() > 0
          ? time.toHours() + " h " + time.toMinutesPart() + " min"
          : time.toMinutes() + " min " + time.toSecondsPart() + " s";
    }
    return time.toSeconds() > 0
        ? time.toSeconds() + "." + time.toMillisPart() / 100 + " s"
        : time.toMillis() + " ms";
  }
}
