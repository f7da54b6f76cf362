// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.event.EventCallback;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import org.jspecify.annotations.Nullable;

/// An event that a test rings, and that counts what is done to it.
final class Bell extends EventSource {
  private final String name;
  int arms;
  int disarms;
  private boolean closed;
  private @Nullable Object result;
  private @Nullable Throwable error;

  Bell(HomeLoop home, String name) {
    super(home);
    this.name = name;
  }

  void ring(@Nullable Object value) {
    fire(value, null);
  }

  void crack(Throwable failure) {
    fire(null, failure);
  }

  /// Rings for the last time.
  Bell closedWith(@Nullable Object value, @Nullable Throwable failure) {
    closed = true;
    result = value;
    error = failure;
    fire(value, failure);
    return this;
  }

  boolean isAtRest() {
    return arms == disarms && subscribers() == 0;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void replay(EventCallback callback) {
    callback.onEvent(this, result, error);
  }

  @Override
  protected void arm() {
    arms++;
  }

  @Override
  protected void disarm() {
    disarms++;
  }

  @Override
  public String info() {
    return name;
  }
}
