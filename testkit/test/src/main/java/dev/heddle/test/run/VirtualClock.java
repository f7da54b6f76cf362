// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.scheduler.Clock;
import dev.heddle.test.time.ClockDrift;
import org.jspecify.annotations.Nullable;

/// A clock that stands still until it is advanced. It begins at zero and counts nanoseconds; a
/// drifting one shows what another one does, with an error.
public final class VirtualClock implements Clock {
  private final @Nullable VirtualClock truth; // null: this one is true
  private final ClockDrift drift;

  // the carrier writes, any thread reads
  private volatile long now;

  /// A true one.
  public VirtualClock() {
    this.truth = null;
    this.drift = ClockDrift.NONE;
  }

  private VirtualClock(VirtualClock truth, ClockDrift drift) {
    this.truth = truth;
    this.drift = drift;
  }

  /// One that shows the time of this one, with an error.
  VirtualClock drifting(ClockDrift by) {
    return new VirtualClock(this, by);
  }

  @Override
  public long nanoTime() {
    return truth == null ? now : drift.local(truth.nanoTime());
  }

  /// Advances to `deadline`; does nothing if that has passed. Carrier only.
  void advanceTo(long deadline) {
    if (truth != null) {
      truth.advanceTo(drift.truth(deadline));
    } else if (deadline > now) {
      now = deadline;
    }
  }
}
