// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.trace;

/// The time of a trace, for one thread: read for each entry, or, where entries follow each other
/// faster than that is worth, for each sixteenth.
public final class TraceClock {
  /*
   * A clock read takes 25 ns, and a switch 150. So entries that are less than FAST_NANOS apart
   * share a reading, up to STRIDE of them. A run that is long among short ones must not be taken
   * for them: a thread ticks (TraceTicks), and the first entry after a tick reads the clock. So an
   * entry's time is never late, and early by STRIDE times FAST_NANOS or so, or by the time from one
   * tick to the next where one was long.
   *
   * Rejected. A reading for each entry: 17 % of a switch for each. The time of the ticks alone:
   * everything between two would be a guess.
   */
  private static final int STRIDE = 16;
  private static final long FAST_NANOS = 400; // between two entries

  private final TraceTicks ticks;

  private long now = System.nanoTime();
  private int stride = 1;
  private int left; // entries before the next reading
  private int seen; // ticks

  public TraceClock(TraceTicks ticks) {
    this.ticks = ticks;
  }

  /// The time of an entry.
  public long next() {
    if (--left <= 0 || ticks.count() != seen) {
      return read();
    }
    return now;
  }

  /// The last reading.
  public long last() {
    return now;
  }

  /// The time at which something begins that may last: the last reading, unless there was a tick
  /// since. Else what came before it, and lasted, would seem to belong to it.
  public long beginning() {
    return ticks.count() == seen ? now : read();
  }

  /// Reads the clock.
  public long read() {
    long before = now;
    int entries = stride - Math.max(0, left);
    now = System.nanoTime();
    seen = ticks.count();
    stride = now - before < FAST_NANOS * Math.max(1, entries) ? STRIDE : 1;
    left = stride;
    return now;
  }
}
