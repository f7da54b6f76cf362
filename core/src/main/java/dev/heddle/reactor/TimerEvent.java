// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.EventCallback;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;

/// A point in time as an event: fires once, never early, then stays closed.
///
/// The caller computes the deadline from a new clock read. A daemon timer neither keeps the loop
/// alive nor counts against a deadlock.
public final class TimerEvent extends EventSource {
  private static final byte DAEMON = 1;
  private static final byte FIRED = 2;

  private final TimerQueue queue;

  // used by the queue: the deadline, and this timer's position
  final long deadline;
  int at = TimerQueue.UNPLACED;

  private byte flags;

  /// An unarmed timer for `deadline` on the scale of the loop's clock.
  public TimerEvent(HomeLoop home, TimerQueue queue, long deadline, boolean hidden) {
    super(home);
    this.queue = queue;
    this.deadline = deadline;
    this.flags = hidden ? DAEMON : 0;
  }

  /// The deadline, on the scale of the loop's clock.
  public long deadline() {
    return deadline;
  }

  @Override
  public boolean isDaemon() {
    return (flags & DAEMON) != 0;
  }

  @Override
  public boolean isClosed() {
    return (flags & FIRED) != 0;
  }

  @Override
  public void replay(EventCallback callback) {
    if (!isClosed()) {
      super.replay(callback);
    }
    callback.onEvent(this, null, null);
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

  void expire() {
    flags |= FIRED;
    settled();
    fire(null, null);
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
