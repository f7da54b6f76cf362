// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// A loop that keeps count, and keeps notifications for the test to run.
final class DeferringHome implements EventHome {
  int armed;
  private final Collection<Runnable> later;

  DeferringHome(Collection<Runnable> later) {
    this.later = later;
  }

  @Override
  public void eventArmed() {
    armed++;
  }

  @Override
  public void eventDisarmed() {
    armed--;
  }

  @Override
  public void notifyLater(Runnable notification) {
    later.add(notification);
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
