// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// The closing of a channel, or its last item, as an event. It gets what it asks the channel, not
/// the channel.
final class ChannelEnd extends EventSource {
  private final BooleanSupplier isReached;
  private final Supplier<String> info;

  /// @param isReached whether a wait for it has nothing to wait for
  /// @param info what is waited for, in one line
  ChannelEnd(HomeLoop home, BooleanSupplier isReached, Supplier<String> info) {
    super(home);
    this.isReached = isReached;
    this.info = info;
  }

  void fire() {
    fire(null, null);
  }

  @Override
  public boolean isClosed() {
    return isReached.getAsBoolean();
  }

  @Override
  public String info() {
    return info.get();
  }
}
