// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.linux;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.PollableDescriptor;
import dev.heddle.reactor.driver.ReadinessCounts;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A file descriptor that other code has opened and closes itself.
public final class RawDescriptor extends PollableDescriptor {
  private final EpollSet owner;
  final int number;
  final long id;

  // loop only
  boolean registered;

  RawDescriptor(ReadinessCounts counts, EpollSet owner, int number, long id) {
    super(counts);
    this.owner = owner;
    this.number = number;
    this.id = id;
  }

  /// The epoll events that the armed listeners wait for.
  int wanted() {
    return (listener(Direction.READ) == null ? 0 : Epoll.IN | Epoll.RDHUP)
        | (listener(Direction.WRITE) == null ? 0 : Epoll.OUT);
  }

  @Override
  protected void armed(Direction direction) {
    owner.armed(this, direction);
  }

  @Override
  protected void disarmed(Direction direction) {
    owner.disarmed(this);
  }

  /// Notifies the listeners of readiness.
  ///
  /// @return the number of listeners notified
  int complete(int ready, @Nullable IOException error) {
    return complete((ready & Epoll.IN) != 0, (ready & Epoll.OUT) != 0, error);
  }

  @Override
  public void close() {
    owner.forget(this);
  }

  @Override
  public String toString() {
    return "descriptor " + number;
  }
}
