// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.event.source.InlineCallback;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Fires once in each period while it is armed, with the period's number as a [Long], and never
/// early.
///
/// The periods are counted from the creation of the timer, so lateness does not add up. Periods
/// that pass while the loop is held fire once, with the number of the last.
public final class PeriodicTimer extends EventSource {
  private static final long LONGEST = Long.MAX_VALUE / 4; // 73 years: no difference overflows

  private final TimerQueue queue;
  private final Duration period;
  private final long periodNanos;
  private final long start;
  private final InlineCallback due = (event, result, error) -> onExpired();

  // loop only
  private long number; // of the last period that has fired
  private @Nullable TimerEvent next;

  /// An unarmed timer.
  ///
  /// @throws IllegalArgumentException unless the period is positive
  public PeriodicTimer(HomeLoop home, TimerQueue queue, Duration period) {
    super(home);
    if (period.isZero() || period.isNegative()) {
      throw new IllegalArgumentException("a period must be positive, not " + period);
    }
    this.queue = queue;
    this.start = home.nanoTime();
    this.period = period;
    this.periodNanos = period.compareTo(Duration.ofNanos(LONGEST)) < 0 ? period.toNanos() : LONGEST;
  }

  @Override
  public boolean isDaemon() {
    return false;
  }

  @Override
  protected void arm() {
    number = (home().nanoTime() - start) / periodNanos;
    armNext();
  }

  private void armNext() {
    TimerEvent timer = new TimerEvent(home(), queue, start + (number + 1) * periodNanos, true);
    timer.subscribe(due);
    timer.start();
    next = timer;
  }

  @Override
  protected void disarm() {
    TimerEvent timer = next;
    if (timer != null) {
      next = null;
      timer.unsubscribe(due);
      timer.stop();
    }
  }

  private void onExpired() {
    disarm();
    number = Math.max(number + 1, (home().nanoTime() - start) / periodNanos);
    armNext();
    // last: a subscriber may stop the timer
    fire(number, null);
  }

  @Override
  public String info() {
    return "a timer of every " + period;
  }
}
