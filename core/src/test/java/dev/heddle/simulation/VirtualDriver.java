// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.Support;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/// A driver with no outside world, in which a sleep takes no time: the clock moves to the deadline
/// instead.
///
/// Other threads are the one thing it cannot foresee. What they bring wakes it, and a sleep without
/// a deadline waits for them; a sleep with one does not.
final class VirtualDriver implements ReactorDriver {
  private final VirtualClock clock;
  private final Thread carrier = Thread.currentThread();
  private final Supplier<String> whoWaits;
  private long endlessSleeps;
  private String firstEndlessSleep = "";

  // any thread sets it, the carrier takes it
  private volatile boolean rung;

  /// @param whoWaits describes, on the carrier, what the loop waits for
  VirtualDriver(VirtualClock clock, Supplier<String> whoWaits) {
    this.clock = clock;
    this.whoWaits = whoWaits;
  }

  /// Sleeps that only another thread could end.
  long endlessSleeps() {
    return endlessSleeps;
  }

  /// What the loop waited for when it first slept so.
  String firstEndlessSleep() {
    return firstEndlessSleep;
  }

  @Override
  public int poll(long deadlineNanos) {
    if (deadlineNanos == NO_DEADLINE) {
      if (endlessSleeps++ == 0) {
        firstEndlessSleep = whoWaits.get();
      }
      while (!rung) {
        LockSupport.park(this);
      }
    }
    if (!rung && deadlineNanos != NO_WAIT) {
      clock.advanceTo(deadlineNanos);
    }
    rung = false;
    return 0;
  }

  @Override
  public void wakeup() {
    rung = true;
    LockSupport.unpark(carrier);
  }

  @Override
  public String name() {
    return "virtual";
  }

  @Override
  public Map<Capability, Support> capabilities() {
    return Map.of();
  }

  @Override
  public boolean isArmed() {
    return false;
  }

  @Override
  public void close() {}
}
