// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.trace;

import java.util.Arrays;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/// How long the runs of coroutines with their loop have taken, or those of processes with one
/// worker: short ones share a reading of the clock.
public final class RunTimes {
  /*
   * A reading of the clock takes half of a short run. So a run is measured by itself, by two
   * readings, while that costs little beside the runs: the first FEW after a sleep or a search, and
   * as many after a run as its time pays for, one for each PAYS nanoseconds. Further runs share a
   * reading, up to MANY of them, and the time since the last one is divided among them equally. If
   * they have taken more than SHORT each, the next ones are measured by themselves again. So where
   * runs of some microseconds are among short ones all the time, all are measured.
   *
   * A long run that comes seldom among short ones lends them its time once. A thread ticks while
   * there are accounts (TraceTicks), so that it is not much: the first run that ends after a tick
   * reads the clock, and what is more than SHORT for each of the others belongs to it. If the tick
   * came before a run began, something else has lasted: then runs have the time of a tick at most.
   *
   * A thread that had to wait for a processor has seemed to run, too, and must not pay for all runs
   * until it waits again. A run of two ticks or more pays for none: one like it has its time by a
   * tick that comes in it. Nor do runs that share a reading behind a tick: the thread that ticks
   * has taken the processor for some microseconds.
   *
   * Rejected. Two readings for each run: 54 to 60 ns more for one of 55. Shared readings also
   * before a sleep: then the time of a run is not known when the worker sleeps, and runs of 100 us
   * counted as 0.4.
   *
   * Threads. The loop's, or the worker.
   *
   * I1. The time of all runs is not more than has passed. [RunTimesTest]
   * I2. Runs between which the thread sleeps have all of their time. [RunTimesTest]
   * I3. Behind a run that took long, so many runs have all of their time as it pays for.
   *     [RunTimesTest]
   */
  private static final int FEW = 16; // runs behind a sleep that are measured by themselves
  private static final int MANY = 64; // runs that share a reading, or are written at once
  private static final long SHORT = 500; // nanoseconds of a run: two readings are a tenth
  private static final long PAYS = 500; // nanoseconds: two readings are a tenth
  private static final long LONG = 2 * TraceTicks.NANOS; // of a run: a tick comes in it

  /// Takes what runs have taken.
  public interface Sink {
    /// Takes the times of some runs; the arrays are filled anew afterwards.
    ///
    /// @param rows of the runs
    /// @param nanos that each has taken
    /// @param count how many runs these are; the rest of the arrays is to be ignored
    void write(int[] rows, long[] nanos, int count);
  }

  private final LongSupplier clock; // nanoseconds
  private final IntSupplier ticks;
  private final Sink sink;

  private final int[] open = new int[MANY]; // rows of runs that are not written yet
  private final long[] openNanos = new long[MANY];
  private int openRuns;
  private int alone = FEW; // so many runs are still measured by themselves
  private long now; // the last reading
  private int seen; // ticks

  /// Begins before the first run.
  ///
  /// @param clock in nanoseconds
  /// @param ticks the count of a [TraceTicks]
  public RunTimes(LongSupplier clock, IntSupplier ticks, Sink sink) {
    this.clock = clock;
    this.ticks = ticks;
    this.sink = sink;
    this.now = clock.getAsLong();
  }

  /// The clock, when it was read last.
  public long lastReading() {
    return now;
  }

  /// Whether the next run is measured by itself. Else its beginning need not be told, if what lasts
  /// between runs is told by [#elseLasted].
  public boolean isNextAlone() {
    return alone > 0;
  }

  /// A run begins.
  public void runBegins() {
    elseLasted();
  }

  /// What has just ended was no run, and is nobody's.
  public void elseLasted() {
    if (alone > 0) {
      now = clock.getAsLong();
    } else if (ticks.getAsInt() != seen) {
      settle();
    }
  }

  /// The run that began last ends.
  ///
  /// @param row what the sink gets with its time
  /// @param isLast all is to be written now
  public void runEnds(int row, boolean isLast) {
    open[openRuns++] = row;
    if (alone > 0) {
      measure();
      if (alone == 0 || openRuns == MANY || isLast || ticks.getAsInt() != seen) {
        write();
      }
    } else if (openRuns == MANY || isLast || ticks.getAsInt() != seen) {
      share();
    }
  }

  /// A run has ended that is measured by itself.
  private void measure() {
    long before = now;
    now = clock.getAsLong();
    long passed = now - before;
    openNanos[openRuns - 1] = passed;
    alone--;
    pay(passed);
  }

  /// So many runs are measured by themselves as the time of the last ones pays for.
  private void pay(long nanos) {
    if (nanos > SHORT && nanos < LONG) {
      alone = Math.max(alone, (int) (nanos / PAYS));
    }
  }

  /// Divides the time since the last reading among the open runs, the last of which has just ended.
  private void share() {
    long before = now;
    now = clock.getAsLong();
    long passed = now - before;
    long each = passed / openRuns;
    int last = openRuns - 1;
    long ofOthers = ticks.getAsInt() == seen ? each : Math.min(SHORT, each);
    Arrays.fill(openNanos, 0, last, ofOthers);
    openNanos[last] = passed - last * ofOthers;
    if (each > SHORT && ticks.getAsInt() == seen) {
      pay(passed);
    }
    write();
  }

  /// Writes the open runs, behind which something else may have lasted: it was no run, or the tick
  /// would have come in it. Reads the clock.
  public void settle() {
    long before = now;
    now = clock.getAsLong();
    if (alone == 0) {
      long passed = Math.min(TraceTicks.NANOS, now - before);
      Arrays.fill(openNanos, 0, openRuns, passed / Math.max(1, openRuns));
    }
    write();
  }

  /// There is nothing to run: the thread searches, or sleeps.
  public void pauses() {
    settle();
    alone = Math.max(alone, FEW);
  }

  private void write() {
    seen = ticks.getAsInt();
    if (openRuns > 0) {
      sink.write(open, openNanos, openRuns);
      openRuns = 0;
    }
  }
}
