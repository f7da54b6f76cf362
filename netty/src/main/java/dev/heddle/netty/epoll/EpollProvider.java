// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.epoll;

import dev.heddle.netty.handler.Availability;
import dev.heddle.netty.handler.NettyProvider;
import io.netty.channel.epoll.Epoll;
import org.jspecify.annotations.Nullable;

/// Provides the driver epoll.
public final class EpollProvider extends NettyProvider {
  /// For the JDK's service loader.
  public EpollProvider() {
    super(
        EpollDriver.NAME,
        "Linux's epoll, through Netty; each descriptor is registered once",
        20,
        EpollDriver::new);
  }

  @Override
  public @Nullable String problem() {
    return Probe.PROBLEM;
  }

  /// Found out once.
  private static final class Probe {
    static final @Nullable String PROBLEM =
        Availability.problem("Linux", "netty-transport-native-epoll", Epoll::unavailabilityCause);
  }
}
