// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.kqueue;

import dev.heddle.netty.handler.Availability;
import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.DriverProvider;
import dev.heddle.reactor.driver.ReactorDriver;
import io.netty.channel.kqueue.KQueue;
import org.jspecify.annotations.Nullable;

/// Offers kqueue.
public final class KqueueProvider implements DriverProvider {
  /// For the service loader.
  public KqueueProvider() {}

  @Override
  public String name() {
    return KqueueDriver.NAME;
  }

  @Override
  public String about() {
    return "macOS's kqueue, through Netty; each descriptor is registered once";
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
    return new KqueueDriver(host);
  }

  /// Found out once.
  private static final class Probe {
    static final @Nullable String PROBLEM =
        Availability.problem("Mac", "netty-transport-native-kqueue", KQueue::unavailabilityCause);
  }
}
