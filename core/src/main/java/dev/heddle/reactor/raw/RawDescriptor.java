// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.raw;

import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Operation;
import org.jspecify.annotations.Nullable;

/// A descriptor that other code has opened, and will close.
public final class RawDescriptor implements Descriptor {
  private final RawDescriptors owner;
  final int number;
  final long id;

  // loop only
  @Nullable Operation input;
  @Nullable Operation output;
  boolean registered;

  RawDescriptor(RawDescriptors owner, int number, long id) {
    this.owner = owner;
    this.number = number;
    this.id = id;
  }

  RawDescriptors owner() {
    return owner;
  }

  /// What somebody waits for.
  int wanted() {
    return (input == null ? 0 : Epoll.IN | Epoll.RDHUP) | (output == null ? 0 : Epoll.OUT);
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
