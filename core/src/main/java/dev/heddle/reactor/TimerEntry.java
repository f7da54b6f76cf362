// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;

/// A timer as the queue and its parts store it: a deadline and a position.
abstract class TimerEntry extends EventSource {
  static final int UNPLACED = -1;
  private static final byte DAEMON = 1;
  private static final byte FIRED = 2;

  final long deadline;
  int at = UNPLACED; // the position in the queue, which writes it

  private byte flags;

  TimerEntry(HomeLoop home, long deadline, boolean daemon) {
    super(home);
    this.deadline = deadline;
    this.flags = daemon ? DAEMON : 0;
  }

  /// The deadline, on the scale of the loop's clock.
  public final long deadline() {
    return deadline;
  }

  @Override
  public final boolean isDaemon() {
    return (flags & DAEMON) != 0;
  }

  @Override
  public final boolean isClosed() {
    return (flags & FIRED) != 0;
  }

  final void expire() {
    flags |= FIRED;
    settled();
    fire(null, null);
  }
}
