// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.epoll;

import dev.heddle.netty.handler.Availability;
import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.DriverProvider;
import dev.heddle.reactor.driver.ReactorDriver;
import io.netty.channel.epoll.Epoll;
import org.jspecify.annotations.Nullable;

/// Offers epoll.
public final class EpollProvider implements DriverProvider {
  /// For the service loader.
  public EpollProvider() {}

  @Override
  public String name() {
    return EpollDriver.NAME;
  }

  @Override
  public String about() {
    return "Linux's epoll, through Netty; each descriptor is registered once";
  }

  @Override
  public int rank() {
    return 20;
  }

  @Override
  public @Nullable String problem() {
    return Probe.PROBLEM;
  }

  @Override
  public ReactorDriver open(DriverHost host) {
    return new EpollDriver(host);
  }

  /// Found out once.
  private static final class Probe {
    static final @Nullable String PROBLEM =
        Availability.problem("Linux", "netty-transport-native-epoll", Epoll::unavailabilityCause);
  }
}
