// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// The closing of a channel, as an event. It gets what it asks the channel, not the channel.
final class ChannelEnd extends EventSource {
  private final BooleanSupplier isClosed;
  private final Supplier<String> channel;

  ChannelEnd(HomeLoop home, BooleanSupplier isClosed, Supplier<String> channel) {
    super(home);
    this.isClosed = isClosed;
    this.channel = channel;
  }

  void fire() {
    fire(null, null);
  }

  @Override
  public boolean isClosed() {
    return isClosed.getAsBoolean();
  }

  @Override
  public String info() {
    return "the end of " + channel.get();
  }
}
