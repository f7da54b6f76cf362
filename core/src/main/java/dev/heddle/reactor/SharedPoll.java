// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.reactor.driver.Descriptor;

/// A channel or file descriptor that other code owns, with events for all coroutines that wait: a
/// descriptor has one listener for each direction, and an event has many subscribers.
public final class SharedPoll {
  private final Descriptor descriptor;
  private final PollEvent readable;
  private final PollEvent writable;

  // loop only
  int users;

  SharedPoll(Descriptor descriptor, PollEvent readable, PollEvent writable) {
    this.descriptor = descriptor;
    this.readable = readable;
    this.writable = writable;
  }

  Descriptor descriptor() {
    return descriptor;
  }

  /// Fires when it becomes readable, or has a connection to accept.
  public PollEvent readable() {
    return readable;
  }

  /// Fires when it becomes writable, or has connected.
  public PollEvent writable() {
    return writable;
  }
}
