// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.time;

import java.util.PriorityQueue;

/// What is scheduled, in the order of time; within one time, in the order in which it was
/// scheduled.
///
/// **Thread** that of the loop whose turn it is.
final class EventQueue {
  /// No event is scheduled.
  static final long NONE = Long.MAX_VALUE;

  private final PriorityQueue<Entry> entries = new PriorityQueue<>();
  private long number;

  private static final class Entry implements Comparable<Entry>, VirtualClock.Scheduled {
    private final long at;
    private final long number;
    private final Runnable action;
    private boolean cancelled;

    Entry(long at, long number, Runnable action) {
      this.at = at;
      this.number = number;
      this.action = action;
    }

    @Override
    public int compareTo(Entry other) {
      return at == other.at ? Long.compare(number, other.number) : Long.compare(at, other.at);
    }

    @Override
    public void cancel() {
      cancelled = true;
    }
  }

  VirtualClock.Scheduled add(long at, Runnable action) {
    Entry entry = new Entry(at, number++, action);
    entries.add(entry);
    return entry;
  }

  /// The time of the next event; [#NONE] if there is none.
  long nextAt() {
    while (entries.peek() instanceof Entry entry && entry.cancelled) {
      entries.poll();
    }
    return entries.peek() instanceof Entry entry ? entry.at : NONE;
  }

  /// Runs what is due, and what that schedules for now.
  void runDue(long now) {
    while (nextAt() <= now) {
      if (entries.poll() instanceof Entry entry) {
        entry.action.run();
      }
    }
  }
}
