// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.event.source.UnobservedOutcomes;

/// A loop without coroutines, which counts the events that are armed.
final class CountingHome implements HomeLoop {
  int armed;

  private static UnsupportedOperationException noCoroutines() {
    return new UnsupportedOperationException("there are no coroutines here");
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
    throw noCoroutines();
  }

  @Override
  public long nanoTime() {
    return 0;
  }

  @Override
  public boolean isOnLoop() {
    return true;
  }

  @Override
  public void checkOnLoop() {}

  @Override
  public void requireStack() {}

  @Override
  public Object await(EventSource event) {
    throw noCoroutines();
  }

  @Override
  public Object await(EventSource event, Deadline deadline) {
    throw noCoroutines();
  }

  @Override
  public Object await(EventSource event, Awaitable<?> token) {
    throw noCoroutines();
  }

  @Override
  public UnobservedOutcomes futures() {
    throw noCoroutines();
  }
}
