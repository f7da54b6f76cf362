// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.time;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// What is to happen outside of the loop at given times of a virtual clock: an arrival of data, the
/// end of a timed wait in the JDK.
///
/// **Thread** carrier. **Order** by time; entries of one time in the order in which they were
/// added.
public final class Agenda {
  private static final Comparator<Entry> BY_TIME =
      Comparator.comparingLong((Entry entry) -> entry.time)
          .thenComparingLong(entry -> entry.number);

  private final Agenda whole;
  private final ClockDrift drift;
  private final PriorityQueue<Entry> entries = new PriorityQueue<>(BY_TIME);
  private final List<Agenda> parts = new ArrayList<>();
  private long added; // to all parts

  /// An empty one.
  public Agenda() {
    this.whole = this;
    this.drift = ClockDrift.NONE;
  }

  private Agenda(Agenda whole, ClockDrift drift) {
    this.whole = whole;
    this.drift = drift;
  }

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

  /// A part of this one, which can be dropped: its entries run among those of all.
  ///
  /// @param drift of the clock that the times of its entries are of
  public Agenda part(ClockDrift drift) {
    Agenda part = new Agenda(this, drift);
    parts.add(part);
    return part;
  }

  /// Takes this part off the whole: none of its entries runs any more.
  public void drop() {
    entries.clear();
    whole.parts.remove(this);
  }

  /// Runs `action` in the first poll at or after `time`, in nanoseconds of the clock.
  public Entry add(long time, Runnable action) {
    Entry entry = new Entry(drift.truth(time), whole.added++, action);
    entries.add(entry);
    return entry;
  }

  /// The true time of the first entry; `Long.MAX_VALUE`: there is none.
  public long next() {
    Agenda first = first();
    return first == null ? Long.MAX_VALUE : first.entries.element().time;
  }

  // the one of this and its parts whose entry is the next
  private @Nullable Agenda first() {
    Agenda first = hasNext() ? this : null;
    for (Agenda part : parts) {
      boolean sooner =
          part.hasNext()
              && (first == null
                  || BY_TIME.compare(part.entries.element(), first.entries.element()) < 0);
      first = sooner ? part : first;
    }
    return first;
  }

  private boolean hasNext() {
    while (!entries.isEmpty() && entries.element().cancelled) {
      entries.remove();
    }
    return !entries.isEmpty();
  }

  /// Whether nothing is to happen.
  public boolean isEmpty() {
    return first() == null;
  }

  /// Runs the entries whose time has come.
  ///
  /// @return how many
  public int runDue(long now) {
    int ran = 0;
    for (Agenda first = first();
        first != null && first.entries.element().time <= now;
        first = first()) {
      first.entries.remove().action.run();
      ran++;
    }
    return ran;
  }
}
