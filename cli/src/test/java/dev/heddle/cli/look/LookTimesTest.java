// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.look;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("watch-4")
class LookTimesTest {
  private static final long BEGIN = Long.MAX_VALUE - 5; // a clock may overflow

  private final LookTimes times = new LookTimes(nanos(1_000), BEGIN);
  private long millis; // since the begin

  private static long nanos(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /// The moments of the looks within a time, in milliseconds; it asks ten times a second.
  ///
  /// @param each how long a look takes
  private List<Long> looks(long within, long each) {
    List<Long> looks = new ArrayList<>();
    for (long end = millis + within; millis < end; millis += 100) {
      if (times.isDue(BEGIN + nanos(millis))) {
        looks.add(millis);
        millis += each;
        times.looked(BEGIN + nanos(millis));
      }
    }
    return looks;
  }

  @Test
  void looks_comeOnceInEachInterval_howeverLongEachTakes() {
    assertThat(looks(4_000, 0)).containsExactly(0L, 1_000L, 2_000L, 3_000L);
    assertThat(looks(4_000, 700)).containsExactly(4_000L, 5_000L, 6_000L, 7_000L);
  }

  @Test
  void looksThatCouldNotBe_areNotMadeUpFor() {
    assertThat(looks(1_000, 3_400)).containsExactly(0L);
    assertThat(looks(2_500, 0)).containsExactly(3_500L, 4_400L, 5_400L);
  }
}
