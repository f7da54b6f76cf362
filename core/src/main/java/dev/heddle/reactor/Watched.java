// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.reactor.driver.Descriptor;

/// A channel or descriptor that other code owns, watched for all that ask: a descriptor has one
/// listener for each direction, and events take as many subscribers as come.
public final class Watched {
  private final Descriptor descriptor;
  private final PollEvent readable;
  private final PollEvent writable;

  // loop only
  int users;

  Watched(Descriptor descriptor, PollEvent readable, PollEvent writable) {
    this.descriptor = descriptor;
    this.readable = readable;
    this.writable = writable;
  }

  Descriptor descriptor() {
    return descriptor;
  }

  /// Fires when it can be read from, or accepted from.
  public PollEvent readable() {
    return readable;
  }

  /// Fires when it can be written to, or has connected.
  public PollEvent writable() {
    return writable;
  }
}
