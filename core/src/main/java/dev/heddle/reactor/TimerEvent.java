// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.source.HomeLoop;

/// A point in time as an event: fires once, never early, then stays closed.
///
/// The caller computes the deadline from a new clock read. A daemon timer neither keeps the loop
/// alive nor counts against a deadlock.
public final class TimerEvent extends TimerEntry {
  private final TimerQueue queue;

  /// An unarmed timer for `deadline` on the scale of the loop's clock.
  public TimerEvent(HomeLoop home, TimerQueue queue, long deadline, boolean daemon) {
    super(home, deadline, daemon);
    this.queue = queue;
  }

  @Override
  protected void arm() {
    if (!isClosed()) {
      queue.arm(this);
    }
  }

  @Override
  protected void disarm() {
    queue.cancel(this);
  }

  @Override
  public String info() {
    String what = isDaemon() ? "a daemon timer" : "a timer";
    return isClosed() ? what + " that has fired" : what + ", due in " + left();
  }

  private String left() {
    long millis = Math.max(0, deadline - home().nanoTime()) / 1_000_000;
    return millis < 10_000 ? millis + " ms" : millis / 1_000 + " s";
  }
}
