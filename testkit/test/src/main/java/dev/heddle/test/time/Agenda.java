// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.time;

import java.util.Comparator;
import java.util.PriorityQueue;

/// What is to happen outside of the loop at given times of a virtual clock: an arrival of data, the
/// end of a timed wait in the JDK.
///
/// **Thread** carrier. **Order** by time; entries of one time in the order in which they were
/// added.
public final class Agenda {
  private static final Comparator<Entry> BY_TIME =
      Comparator.comparingLong((Entry entry) -> entry.time)
          .thenComparingLong(entry -> entry.number);

  private final PriorityQueue<Entry> entries = new PriorityQueue<>(BY_TIME);
  private long added;

  /// An entry that has not been run yet, unless it was cancelled.
  public static final class Entry {
    private final long time;
    private final long number;
    private final Runnable action;
    private boolean cancelled;

    private Entry(long time, long number, Runnable action) {
      this.time = time;
      this.number = number;
      this.action = action;
    }

    /// Takes it off the agenda. No effect after it has run.
    public void cancel() {
      cancelled = true;
    }
  }

  /// Runs `action` in the first poll at or after `time`, in nanoseconds of the clock.
  public Entry add(long time, Runnable action) {
    Entry entry = new Entry(time, added++, action);
    entries.add(entry);
    return entry;
  }

  /// The time of the first entry; `Long.MAX_VALUE`: there is none.
  public long next() {
    while (!entries.isEmpty() && entries.peek().cancelled) {
      entries.remove();
    }
    return entries.isEmpty() ? Long.MAX_VALUE : entries.peek().time;
  }

  /// Whether nothing is to happen.
  public boolean isEmpty() {
    return next() == Long.MAX_VALUE;
  }

  /// Runs the entries whose time has come.
  ///
  /// @return how many
  public int runDue(long now) {
    int ran = 0;
    while (next() <= now) {
      entries.remove().action.run();
      ran++;
    }
    return ran;
  }
}
