// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import dev.heddle.reactor.driver.ReactorDriver;
import io.netty.channel.IoHandle;

/// A driver over one of Netty's handlers, on which Netty's own channels can live, too.
public interface NettyDriver extends ReactorDriver {
  /// The handler.
  DrivenHandler handler();

  /// What it can have registered.
  ChannelTypes channelTypes();

  /// Whether a look now could only tell the guest's handles again what they have not come to: it
  /// tells by level, and no handle of Heddle's own waits.
  boolean wouldOnlyTellAgain();

  /// What is registered with the handler in the place of a handle of the guest's.
  ///
  /// @throws IllegalArgumentException when it is of another transport
  GuestHandle guestHandle(GuestHandles home, IoHandle handle);

  @Override
  default boolean hasGuests() {
    return handler().hasGuests();
  }

  /// The refusal of a handle of another transport.
  default IllegalArgumentException foreign(IoHandle handle) {
    return new IllegalArgumentException(
        handle.getClass().getName()
            + " is of another transport than the loop's driver "
            + name()
            + "; take the channel types that HeddleEventLoop names");
  }
}
