// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.kqueue;

import dev.heddle.netty.handler.Availability;
import dev.heddle.netty.handler.NettyProvider;
import io.netty.channel.kqueue.KQueue;
import org.jspecify.annotations.Nullable;

/// Provides the driver kqueue.
public final class KqueueProvider extends NettyProvider {
  /// For the JDK's service loader.
  public KqueueProvider() {
    super(
        KqueueDriver.NAME,
        "macOS's kqueue, through Netty; each descriptor is registered once",
        20,
        KqueueDriver::new);
  }

  @Override
  public @Nullable String problem() {
    return Probe.PROBLEM;
  }

  /// Found out once.
  private static final class Probe {
    static final @Nullable String PROBLEM =
        Availability.problem("Mac", "netty-transport-native-kqueue", KQueue::unavailabilityCause);
  }
}
