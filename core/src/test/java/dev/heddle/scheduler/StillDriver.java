// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.Support;
import java.util.Map;

/// A driver without an outside world, which tells when it is looked at, and when it sleeps.
final class StillDriver implements ReactorDriver {
  boolean armed;
  Runnable onLook = () -> {};
  Runnable onSleep = () -> {};

  @Override
  public String name() {
    return "still";
  }

  @Override
  public Map<Capability, Support> capabilities() {
    return Map.of();
  }

  @Override
  public boolean isArmed() {
    return armed;
  }

  @Override
  public int poll(long deadlineNanos) {
    (deadlineNanos == NO_WAIT ? onLook : onSleep).run();
    return 0;
  }

  @Override
  public void wakeup() {}

  @Override
  public void close() {}
}
