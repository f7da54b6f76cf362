// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.PollableDescriptor;
import dev.heddle.reactor.driver.ReadinessCounts;

/// A descriptor of a simulated driver.
abstract class SimulatedDescriptor extends PollableDescriptor {
  private final Owner driver;
  private boolean closed;

  boolean queued; // by the driver, to be looked at in a poll

  SimulatedDescriptor(Owner driver) {
    super(driver.counts());
    this.driver = driver;
    driver.opened(this);
  }

  final MemoryHost host() {
    return driver.host();
  }

  final Owner driver() {
    return driver;
  }

  /// What descriptors need of their driver.
  interface Owner {
    /// The host of the loop.
    MemoryHost host();

    ReadinessCounts counts();

    void opened(SimulatedDescriptor descriptor);

    void closed(SimulatedDescriptor descriptor);

    /// A descriptor may be ready.
    void changed(SimulatedDescriptor descriptor);
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
