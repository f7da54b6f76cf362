// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.look;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalTime;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Of which time the delays of a look are.
@Tag("watch-4")
class RecentDelaysTest {
  private static final int SHORT = 3; // the bucket of delays of 4 to 7 us
  private static final int LONG = 20; // of half a second and more

  private final RecentDelays delays = new RecentDelays(TimeUnit.SECONDS.toNanos(1));
  private final long[] counts = new long[32];

  private Properties look(long second) {
    return look(second, "7");
  }

  private Properties look(long second, String number) {
    return look(delays, second, number);
  }

  private Properties look(RecentDelays narrowing, long second, String number) {
    Properties own = new Properties();
    own.setProperty(
        "delays", String.join(" ", LongStream.of(counts).mapToObj(Long::toString).toList()));
    own.setProperty("delaySamples", "1");
    own.setProperty("delayMedianMicros", "of all time");
    own.setProperty("delay99Micros", "of all time");
    Look.Seen loop = new Look.Seen(number, "loop", "shop", List.of(own));
    long nanos = TimeUnit.SECONDS.toNanos(second);
    narrowing.narrow(new Look(nanos, LocalTime.NOON, 1, "Demo", List.of(loop)));
    return own;
  }

  private static List<String> figures(Properties own) {
    return List.of(
        own.getProperty("delaySamples"),
        own.getProperty("delayMedianMicros"),
        own.getProperty("delay99Micros"));
  }

  @Test
  void spike_movesTheFigures_afterAnHour_andIsGoneTenSecondsLater() {
    counts[SHORT] = 36_000;
    Properties _ = look(0);
    for (int second = 1; second <= 3_600; second++) {
      counts[SHORT] += 10;
      assertThat(figures(look(second)).subList(1, 3)).containsExactly("8", "8");
    }
    counts[LONG] += 10;
    assertThat(figures(look(3_601))).containsExactly("100", "8", "1048576");
    for (int second = 3_602; second <= 3_610; second++) {
      counts[SHORT] += 10;
      assertThat(figures(look(second)).getLast()).as("at %s", second).isEqualTo("1048576");
    }
    counts[SHORT] += 10;
    assertThat(figures(look(3_611))).containsExactly("100", "8", "8");
  }

  @Test
  void firstLook_hasWhatTheFeedSays_andTheSecondWhatLiesBetween() {
    counts[LONG] = 1_000;
    assertThat(figures(look(0))).containsExactly("1", "of all time", "of all time");
    counts[SHORT] = 3;
    counts[LONG]++;
    assertThat(figures(look(1))).containsExactly("4", "8", "1048576");
  }

  @Test
  void timeWithoutSamples_hasNoFigures() {
    counts[LONG] = 1_000;
    IntStream.range(0, 12).forEach(second -> look(second));
    assertThat(figures(look(12))).containsExactly("0", "0", "0");
  }

  /// A feed that was closed begins anew: the difference would be below zero.
  @Test
  void countsThatBeginAnew_areAFirstLook() {
    counts[LONG] = 1_000;
    Properties _ = look(0);
    counts[LONG] = 1;
    assertThat(figures(look(1))).containsExactly("1", "of all time", "of all time");
    counts[SHORT] = 1;
    assertThat(figures(look(2))).containsExactly("1", "8", "8");
  }

  /// A page that was opened again showed an hour as its last ten seconds.
  @Test
  void lookAfterAnHourWithoutLooks_isAFirstLook() {
    counts[LONG] = 1_000;
    Properties _ = look(0);
    Properties _ = look(1);
    counts[LONG] = 9_000;
    assertThat(figures(look(3_601))).containsExactly("1", "of all time", "of all time");
    counts[SHORT] = 1;
    assertThat(figures(look(3_602))).containsExactly("1", "8", "8");
  }

  @Test
  void looksThatAreFarApart_haveWhatLiesBetween() {
    RecentDelays seldom = new RecentDelays(TimeUnit.SECONDS.toNanos(60));
    counts[LONG] = 1_000;
    Properties _ = look(seldom, 0, "7");
    counts[SHORT] = 1;
    assertThat(figures(look(seldom, 61, "7"))).containsExactly("1", "8", "8");
  }

  @Test
  void loopThatIsGone_isForgotten() {
    counts[LONG] = 1_000;
    Properties _ = look(0, "7");
    Properties _ = look(1, "8");
    assertThat(figures(look(2, "7"))).containsExactly("1", "of all time", "of all time");
  }
}
