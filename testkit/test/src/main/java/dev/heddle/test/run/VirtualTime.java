// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.internal.InWords;
import java.time.Duration;

/// Virtual times as messages write them.
public final class VirtualTime {
  private static final int UNIT = 1_000; // nanoseconds in a microsecond, and so on
  private static final int TENTH = 100;

  private VirtualTime() {}

  /// A time as the loop's reports write it, but with a tenth of a millisecond, and in smaller units
  /// where it is shorter: `2 h 5 min`, `5.8 s`, `184 ms`, `1.5 ms`, `128 us`, `10 ns`.
  public static String inWords(Duration time) {
    if (time.toSeconds() > 0 || time.isZero()) {
      return InWords.duration(time);
    }
    int nanos = time.toNanosPart();
    int micros = nanos / UNIT;
    int millis = micros / UNIT;
    if (millis > 0) {
      int tenths = micros % UNIT / TENTH;
      return tenths == 0 ? millis + " ms" : millis + "." + tenths + " ms";
    }
    return micros > 0 ? micros + " us" : nanos + " ns";
  }
}
