// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import java.nio.channels.SelectableChannel;
import org.jspecify.annotations.Nullable;

/// An open channel as a driver knows it.
public final class Descriptor {
  private final SelectableChannel channel;
  private final String name;

  // the driver's: what it keeps for this descriptor
  private @Nullable Object registration;

  /// A descriptor that no driver knows yet.
  ///
  /// @param name for dumps and errors
  public Descriptor(SelectableChannel channel, String name) {
    this.channel = channel;
    this.name = name;
  }

  /// The channel itself.
  public SelectableChannel channel() {
    return channel;
  }

  /// What the driver has attached.
  public @Nullable Object registration() {
    return registration;
  }

  /// Attaches what the driver needs to keep.
  public void register(@Nullable Object driversOwn) {
    registration = driversOwn;
  }

  @Override
  public String toString() {
    return name;
  }
}
