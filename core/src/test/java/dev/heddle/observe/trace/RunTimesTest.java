// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Whose the time of short and long runs is, by a clock that only moves when a run takes time.
@Tag("watch-1")
class RunTimesTest {
  private static final int FEW = 16; // runs behind a sleep that are measured by themselves
  private static final int MANY = 64; // runs that share a reading

  private long clock = 1_000;
  private int ticks;
  private final List<Long> written = new ArrayList<>(); // nanoseconds of each run
  private final RunTimes times = new RunTimes(() -> clock, () -> ticks, this::write);

  private void write(int[] rows, long[] nanos, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(rows[i]).as("row of a run").isEqualTo(written.size());
      written.add(nanos[i]);
    }
  }

  private int begun;

  private void run(long... nanos) {
    for (long each : nanos) {
      times.runBegins();
      clock += each;
      times.runEnds(begun++, false);
    }
  }

  private void runMany(int count, long nanos) {
    Collections.nCopies(count, nanos).forEach(this::run);
  }

  private void spendThoseBehindASleep() {
    runMany(FEW, 10);
    assertThat(written).containsExactlyElementsOf(Collections.nCopies(FEW, 10L));
    written.clear();
    begun = 0;
  }

  @Test
  void shortAndLongRunsBehindASleep_haveTheirOwnTimes() {
    run(10, 20, 100_000, 30);
    times.pauses();

    assertThat(written).containsExactly(10L, 20L, 100_000L, 30L);
  }

  @Test
  void timeBetweenRunsThatAreMeasured_isNobodys() {
    run(10);
    clock += 5_000;
    run(20);
    times.pauses();

    assertThat(written).containsExactly(10L, 20L);
  }

  @Test
  void shortRunsThatFollowEachOther_shareAReadingEqually() {
    spendThoseBehindASleep();
    run(10, 30);
    runMany(MANY - 2, 20);

    assertThat(written).containsExactlyElementsOf(Collections.nCopies(MANY, 20L));
  }

  /// Else the short ones would have a part of the time of each long one.
  @Test
  void runsBehindALongOne_haveTheirOwnTimes() {
    spendThoseBehindASleep();
    runMany(MANY - 1, 10);
    run(100_000); // lends its time to those before it, once
    long shared = (100_000 + 10 * (MANY - 1)) / MANY;
    assertThat(written).hasSize(MANY).startsWith(shared, shared);
    assertThat(written.stream().mapToLong(each -> each).sum()).isEqualTo(clock - 1_000 - FEW * 10);
    written.clear();
    begun = 0;

    run(10, 20, 100_000, 30);
    times.pauses();
    assertThat(written).containsExactly(10L, 20L, 100_000L, 30L);
  }

  @Test
  void runsBehindALongOne_haveTheirOwnTimes_onlyAsManyAsItsTimePaysFor() {
    runMany(FEW - 1, 10);
    run(20 * 500);
    runMany(20, 10);
    assertThat(written.subList(FEW - 1, FEW + 20)).startsWith(10_000L, 10L).endsWith(10L, 10L);
    written.clear();
    begun = 0;

    run(10, 30);
    runMany(MANY - 2, 20);
    assertThat(written).containsExactlyElementsOf(Collections.nCopies(MANY, 20L));
  }

  /// A thread that had waited for a processor read the clock for each run until it waited again.
  @Test
  void runInWhichATickMustCome_paysForNone() {
    runMany(FEW - 1, 10);
    run(1_000_000_000);
    written.clear();
    begun = 0;

    run(10, 30);
    runMany(MANY - 2, 20);
    assertThat(written).containsExactlyElementsOf(Collections.nCopies(MANY, 20L));
  }

  /// The thread that ticks takes a processor, too: each tick made all runs of a while cost more.
  @Test
  void shortRunsBehindATick_payForNone() {
    spendThoseBehindASleep();
    runMany(10, 10);
    times.runBegins();
    clock += 40_000;
    ticks++;
    times.runEnds(begun++, false);
    written.clear();
    begun = 0;

    run(10, 30);
    runMany(MANY - 2, 20);
    assertThat(written).containsExactlyElementsOf(Collections.nCopies(MANY, 20L));
  }

  /// A tick says that much time has passed in it.
  @Test
  void longRunInWhichATickComes_hasItsTime_butForALittle() {
    spendThoseBehindASleep();
    run(10, 20);
    times.runBegins();
    clock += 1_000_000;
    ticks++;
    times.runEnds(begun++, false);
    assertThat(written).containsExactly(500L, 500L, 999_030L);

    run(30);
    times.pauses();
    assertThat(written).endsWith(999_030L, 30L);
  }

  /// A loop that is busy is not told of the beginnings of its runs.
  @Test
  void beginning_isWantedOfRunsThatAreMeasured() {
    assertThat(times.isNextAlone()).isTrue();
    spendThoseBehindASleep();
    assertThat(times.isNextAlone()).isFalse();
    times.pauses();
    assertThat(times.isNextAlone()).isTrue();
  }

  @Test
  void whatLastsBetweenRuns_isTheirsForATickAtMost() {
    spendThoseBehindASleep();
    run(10, 20);
    clock += 100_000_000;
    ticks++;
    run(40);
    times.pauses();

    assertThat(written).containsExactly(500_000L, 500_000L, 40L);
  }
}
