// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.reactor.Descriptor;
import dev.heddle.reactor.Operation;
import dev.heddle.reactor.ReactorDriver;
import java.util.EnumSet;
import java.util.Set;

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
  public Set<Operation.Kind> capabilities() {
    return EnumSet.noneOf(Operation.Kind.class);
  }

  @Override
  public void open(Descriptor descriptor) {}

  @Override
  public void closed(Descriptor descriptor) {}

  @Override
  public void submit(Operation operation) {
    throw new AssertionError("nothing is submitted in these tests");
  }

  @Override
  public void cancel(Operation operation) {}

  @Override
  public boolean isArmed() {
    return armed;
  }

  @Override
  public int tick(long deadlineNanos) {
    (deadlineNanos == NO_WAIT ? onLook : onSleep).run();
    return 0;
  }

  @Override
  public void wakeup() {}

  @Override
  public void close() {}
}
