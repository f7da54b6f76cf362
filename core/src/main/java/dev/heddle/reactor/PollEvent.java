// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessListener;
import org.jspecify.annotations.Nullable;

/// Readiness of a descriptor in one direction; fires each time that the descriptor is ready while a
/// coroutine waits for it: at once if it was ready before.
public final class PollEvent extends EventSource implements ReadinessListener {
  private final Direction direction;
  private final Descriptor descriptor;
  private final Object owner;

  /// An event for one direction of a descriptor.
  ///
  /// @param owner the object that the descriptor belongs to, for dumps
  public PollEvent(HomeLoop home, Direction direction, Descriptor descriptor, Object owner) {
    super(home);
    this.direction = direction;
    this.descriptor = descriptor;
    this.owner = owner;
  }

  @Override
  public boolean isDaemon() {
    return false;
  }

  @Override
  protected void arm() {
    descriptor.arm(direction, this);
  }

  @Override
  protected void rearm() {
    descriptor.arm(direction, this); // changes nothing while it is armed
  }

  @Override
  protected void disarm() {
    descriptor.disarm(direction, this);
  }

  @Override
  public void onReady(@Nullable Throwable error) {
    fire(null, error);
  }

  /// Ends all current waits with an error.
  public void abort(Throwable error) {
    fire(null, error);
  }

  @Override
  public String info() {
    return (direction == Direction.READ ? "input from " : "output to ") + owner;
  }
}
