// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.reactor.driver.ReactorDriver;

/// Decides how often a loop reads its clock and when it polls its reactor, counted in dispatches.
final class PollPolicy {
  /*
   * Clock. A read costs 20-30 ns, a fifth of a switch. So the loop reads the clock every `stride`
   * dispatches. The stride doubles while that many dispatches take less than 100 us, and returns to
   * 1 as soon as they take more than 250 us.
   *
   * The loop also reads the clock after a sleep, without changing the stride: a server sleeps after
   * a handful of dispatches, and would otherwise never get beyond 2. Their duration must still be
   * measured. So when the last measurement is a stride ago, the loop reads the clock before it
   * sleeps, too.
   *
   * Reactor. A poll is due when the last one is 1 ms ago, or at the end of a round that began 61
   * dispatches or more after it. A round is the coroutines that are ready when the clock is read;
   * all of them run before the poll.
   *
   * The scheduler calls check() at the dispatch that nextCheck() returns and not before, so that
   * one comparison a dispatch covers both.
   *
   * Rejected. Reading the clock each tick: 15 % of a switch. A poll after a fixed number of
   * dispatches: coroutines that are already ready would wait for the poll, too.
   */
  private static final long POLL_NANOS = 1_000_000; // the longest time without a poll
  private static final int POLL_DISPATCHES = 61; // prime, so that it does not beat with rings of 64
  private static final int MAX_STRIDE = 16; // dispatches; the clock then costs 2 ns a switch
  private static final long SHORT_NANOS = 100_000;
  private static final long LONG_NANOS = 250_000;

  private final Clock clock;
  private final ReactorDriver driver;

  // loop only
  private long now;
  private int stride = 1;
  private long clockAt; // the next dispatch at which the clock is read
  private long readAt; // the dispatch before which it was last read
  private long measured; // the dispatch before which a duration was last measured
  private long roundEnd = Long.MAX_VALUE; // of the round after which a poll is due
  private long lastPoll;
  private long dispatchedAtPoll;

  PollPolicy(Clock clock, ReactorDriver driver) {
    this.clock = clock;
    this.driver = driver;
    this.now = clock.nanoTime();
    this.lastPoll = now;
  }

  /// The time of the last clock read.
  long now() {
    return now;
  }

  /// The dispatch at which [#check] is to be called next.
  long nextCheck() {
    return Math.min(clockAt, roundEnd);
  }

  /// Reads the clock when a read is due.
  ///
  /// @param ready the number of entries in the ready queue
  /// @return whether to poll the reactor
  boolean check(long dispatched, int ready) {
    boolean lookDue = dispatched >= roundEnd;
    if (lookDue) {
      // every coroutine that was ready when the round began has run
      roundEnd = Long.MAX_VALUE;
    }
    if (dispatched >= clockAt) {
      readClock(dispatched);
      lookDue |= driver.isArmed() && isPollDue(dispatched, ready);
    }
    return lookDue;
  }

  /// @param next the dispatch before which the clock is read
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
    } else if (nanosOfAStride < SHORT_NANOS && stride < MAX_STRIDE) {
      stride *= 2;
    }
  }

  private boolean isPollDue(long dispatched, int ready) {
    if (now - lastPoll >= POLL_NANOS) {
      return true;
    }
    if (roundEnd == Long.MAX_VALUE && dispatched - dispatchedAtPoll >= POLL_DISPATCHES) {
      roundEnd = dispatched + ready;
    }
    return false;
  }

  void onPoll(long dispatched) {
    roundEnd = Long.MAX_VALUE;
    dispatchedAtPoll = dispatched;
    lastPoll = now;
  }

  /// Nothing is ready.
  ///
  /// @param wanted whether the time is needed; else the clock is read only when a duration is to be
  ///   measured
  void beforeIdle(long dispatched, boolean wanted) {
    long next = dispatched + 1;
    if (wanted || next - measured >= stride) {
      readClock(next);
    }
  }

  /// Nothing was ready, or what was ready could wait: reads the clock for the next coroutine.
  void afterIdle(long dispatched) {
    now = clock.nanoTime();
    readAt = dispatched + 1;
    clockAt = readAt + stride;
  }

  /// The loop has slept in its reactor.
  void afterSleep(long dispatched) {
    afterIdle(dispatched);
    lastPoll = now;
  }
}
