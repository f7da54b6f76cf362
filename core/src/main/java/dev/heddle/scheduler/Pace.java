// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.reactor.driver.ReactorDriver;

/// How often a loop reads its clock, and when it looks at its reactor; counted in dispatches.
final class Pace {
  /*
   * Reading the clock costs 20-30 ns, a fifth of a switch. So it is read every `stride` dispatches, and stride adapts: doubled
   * while that many dispatches take less than 100 us, back to 1 as soon as they take more than 250.
   *
   * Who has slept reads it, and keeps the stride: a server sleeps after a handful of dispatches, and would never get beyond 2. What they
   * took must be seen all the same; so when that was last seen a stride ago, it is read before the sleep, too.
   *
   * A look at the reactor is due when the last one is 1 ms ago, or at the end of a round that began 61 dispatches or more
   * after it. A round is who is ready when the clock is read; all of them run before the look.
   *
   * The scheduler asks at the dispatch that attentionAt() names, and not before: one comparison stands for both.
   *
   * Rejected. Reading the clock each tick: 15 % of a switch. Looking after so many dispatches, whoever is ready: those behind
   * would wait for the look, too.
   */
  private static final long LOOK_NANOS =
      1_000_000; // as often as the reference looks at its reactor
  private static final int LOOK_DISPATCHES = 61; // prime, so that it does not beat with rings of 64
  private static final int LONGEST_STRIDE = 16; // dispatches; the clock is then 2 ns of a switch
  private static final long SHORT_NANOS = 100_000;
  private static final long LONG_NANOS = 250_000;

  private final Clock clock;
  private final ReactorDriver driver;

  // loop only
  private long now;
  private int stride = 1;
  private long clockAt; // the next dispatch at which the clock is read
  private long readAt; // the dispatch before which it was read last
  private long measured; // the one before which it was last seen how long some took
  private long roundEnd = Long.MAX_VALUE; // of the round that a look waits for
  private long lastLook;
  private long dispatchedAtLook;

  Pace(Clock clock, ReactorDriver driver) {
    this.clock = clock;
    this.driver = driver;
    this.now = clock.nanoTime();
    this.lastLook = now;
  }

  /// The time as it was last read.
  long now() {
    return now;
  }

  /// The next dispatch at which to ask.
  long attentionAt() {
    return Math.min(clockAt, roundEnd);
  }

  /// Reads the clock when it is time to.
  ///
  /// @param ready how many are ready now
  /// @return whether to look at the reactor
  boolean attend(long dispatched, int ready) {
    boolean lookDue = dispatched >= roundEnd;
    if (lookDue) {
      // who was ready when the round began has run
      roundEnd = Long.MAX_VALUE;
    }
    if (dispatched >= clockAt) {
      readClock(dispatched);
      lookDue |= driver.isArmed() && isTimeToLook(dispatched, ready);
    }
    return lookDue;
  }

  /// @param next the dispatch before which it is read
  private void readClock(long next) {
    long before = now;
    long dispatches = next - readAt;
    now = clock.nanoTime();
    if (dispatches > 0) {
      adapt((now - before) * stride / dispatches);
      measured = next;
    }
    readAt = next;
    clockAt = next + stride;
  }

  private void adapt(long nanosOfAStride) {
    if (nanosOfAStride > LONG_NANOS) {
      stride = 1;
    } else if (nanosOfAStride < SHORT_NANOS && stride < LONGEST_STRIDE) {
      stride *= 2;
    }
  }

  private boolean isTimeToLook(long dispatched, int ready) {
    if (now - lastLook >= LOOK_NANOS) {
      return true;
    }
    if (roundEnd == Long.MAX_VALUE && dispatched - dispatchedAtLook >= LOOK_DISPATCHES) {
      roundEnd = dispatched + ready;
    }
    return false;
  }

  /// The reactor is being looked at.
  void looked(long dispatched) {
    roundEnd = Long.MAX_VALUE;
    dispatchedAtLook = dispatched;
    lastLook = now;
  }

  /// Nobody is ready.
  ///
  /// @param wanted whether somebody wants to know the time; else the clock is read when it is time
  ///   to see how long some took
  void resting(long dispatched, boolean wanted) {
    long next = dispatched + 1;
    if (wanted || next - measured >= stride) {
      readClock(next);
    }
  }

  /// Nobody was ready, or what was could wait: who comes next finds the clock read anew.
  void rested(long dispatched) {
    now = clock.nanoTime();
    readAt = dispatched + 1;
    clockAt = readAt + stride;
  }

  /// The loop has slept in its reactor.
  void slept(long dispatched) {
    rested(dispatched);
    lastLook = now;
  }
}
