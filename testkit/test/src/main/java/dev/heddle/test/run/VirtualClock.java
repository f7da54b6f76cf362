// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.scheduler.Clock;

/// A clock that stands still until it is advanced. It begins at zero and counts nanoseconds.
public final class VirtualClock implements Clock {
  // the carrier writes, any thread reads
  private volatile long now;

  @Override
  public long nanoTime() {
    return now;
  }

  /// Advances to `deadline`; does nothing if that has passed. Carrier only.
  void advanceTo(long deadline) {
    if (deadline > now) {
      now = deadline;
    }
  }
}
