// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import java.util.Collection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Stands in for a loop: keeps count of what is armed, and notifications for the test to run.
public final class CountingHome implements HomeLoop {
  int armed;
  private final Consumer<Runnable> later;
  private final @Nullable UnobservedOutcomes outcomes;

  /// A loop whose events have no custom callbacks, and that has no futures.
  public CountingHome() {
    this((UnobservedOutcomes) null);
  }

  /// A loop whose events have no custom callbacks.
  public CountingHome(@Nullable UnobservedOutcomes outcomes) {
    this.outcomes = outcomes;
    this.later =
        notification -> {
          throw new AssertionError("no custom callback in these tests");
        };
  }

  CountingHome(Collection<Runnable> later) {
    this.later = later::add;
    this.outcomes = null;
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
    later.accept(notification);
  }

  @Override
  public void checkOnLoop() {}

  @Override
  public void requireStack() {}

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public boolean isOnLoop() {
    return true;
  }

  @Override
  public @Nullable Object await(EventSource event) {
    throw new AssertionError("nobody waits in these tests");
  }

  @Override
  public @Nullable Object await(EventSource event, Deadline deadline) {
    throw new AssertionError("nobody waits in these tests");
  }

  @Override
  public @Nullable Object await(EventSource event, Awaitable<?> token) {
    throw new AssertionError("nobody waits in these tests");
  }

  @Override
  public UnobservedOutcomes futures() {
    if (outcomes == null) {
      throw new AssertionError("no futures in these tests");
    }
    return outcomes;
  }
}
