// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.PollableDescriptor;

/// A descriptor of a simulated driver.
abstract class SimulatedDescriptor extends PollableDescriptor {
  private final SimulatedDriver driver;
  private boolean closed;

  boolean queued; // by the driver, to be looked at in a poll

  SimulatedDescriptor(SimulatedDriver driver) {
    super(driver.counts());
    this.driver = driver;
    driver.opened(this);
  }

  final SimulatedDriver driver() {
    return driver;
  }

  /// Whether a call in a direction would not block.
  abstract boolean isReadyNow(Direction direction);

  /// Closes the end in the network.
  abstract void closeEnd();

  private boolean isDue(Direction direction) {
    return listener(direction) != null && isReadyNow(direction);
  }

  /// Whether a listener waits for what has come.
  final boolean isDue() {
    return isDue(Direction.READ) || isDue(Direction.WRITE);
  }

  /// Notifies the listeners of what is ready.
  final void deliver() {
    var _ = complete(isDue(Direction.READ), isDue(Direction.WRITE), null);
  }

  @Override
  protected final void armed(Direction direction) {
    if (isReadyNow(direction)) {
      changed();
    }
  }

  /// Its end in the network has changed.
  final void changed() {
    driver.changed(this);
  }

  final boolean isClosed() {
    return closed;
  }

  @Override
  public final void close() {
    if (!closed) {
      closed = true;
      driver.closed(this);
      closeEnd();
    }
  }
}
