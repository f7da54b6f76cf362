// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import dev.heddle.observe.trace.TraceRing;

/// When each entry of a ring happened, as well as it is known, in nanoseconds.
final class Places {
  /*
   * Entries that follow each other closely share a reading of the clock, which was taken at the
   * first of them: the others came later, and before the next reading. They are placed after it, in
   * their order, evenly, but STEP apart at most: where much time has passed until the next reading,
   * it belongs to what lasted until then, because each tick of the recording causes a reading.
   */
  private static final long STEP = 400;

  private Places() {}

  /// The times of a thread.
  static long[] of(ThreadTrace thread) {
    return thread.isLoop() ? of(thread.entries(), thread.ended()) : exact(thread.entries());
  }

  // those of workers: what shares a reading is a nanosecond apart, or belongs together
  private static long[] exact(TraceRing.Copy entries) {
    long[] places = new long[entries.size()];
    for (int i = 0; i < places.length; i++) {
      places[i] = entries.time(i);
    }
    return places;
  }

  /// The times; none is earlier than the one before.
  ///
  /// @param end of the recording
  static long[] of(TraceRing.Copy entries, long end) {
    long[] places = new long[entries.size()];
    int from = 0;
    while (from < places.length) {
      int to = from + 1;
      while (to < places.length && entries.time(to) == entries.time(from)) {
        to++;
      }
      long next = to < places.length ? entries.time(to) : Math.max(end, entries.time(from));
      long step = Math.min(STEP, (next - entries.time(from)) / (to - from));
      for (int i = from; i < to; i++) {
        places[i] = entries.time(from) + step * (i - from);
      }
      from = to;
    }
    return places;
  }
}
