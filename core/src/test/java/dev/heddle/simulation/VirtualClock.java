// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import dev.heddle.scheduler.Clock;

/// Time that moves when it is told to, and not by itself.
final class VirtualClock implements Clock {
  // the carrier writes, any thread reads
  private volatile long now;

  @Override
  public long nanoTime() {
    return now;
  }

  void advanceTo(long deadline) {
    now = Math.max(now, deadline);
  }
}
