// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.EventHome;
import dev.heddle.event.FutureLedger;
import org.jspecify.annotations.Nullable;

/// A loop of which the events under test need nothing.
final class QuietHome implements EventHome {
  @Override
  public void eventArmed() {}

  @Override
  public void eventDisarmed() {}

  @Override
  public void notifyLater(Runnable notification) {
    throw new AssertionError("no custom callback in these tests");
  }

  @Override
  public void checkOnLoop() {}

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public boolean isOnLoop() {
    return true;
  }

  @Override
  public @Nullable Object await(Event event) {
    throw new AssertionError("nobody waits in these tests");
  }

  @Override
  public @Nullable Object await(Event event, Deadline deadline) {
    throw new AssertionError("nobody waits in these tests");
  }

  @Override
  public @Nullable Object await(Event event, Awaitable<?> token) {
    throw new AssertionError("nobody waits in these tests");
  }

  @Override
  public FutureLedger futures() {
    throw new AssertionError("no futures in these tests");
  }
}
