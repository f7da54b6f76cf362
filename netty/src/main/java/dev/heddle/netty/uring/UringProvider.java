// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.netty.handler.Availability;
import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.DriverProvider;
import dev.heddle.reactor.driver.ReactorDriver;
import io.netty.channel.uring.IoUring;
import org.jspecify.annotations.Nullable;

/// Offers io_uring.
public final class UringProvider implements DriverProvider {
  /// For the service loader.
  public UringProvider() {}

  @Override
  public String name() {
    return UringDriver.NAME;
  }

  @Override
  public String about() {
    return "Linux's io_uring, through Netty: one call of the system for all that a turn submits";
  }

  @Override
  public int rank() {
    return 30;
  }

  @Override
  public @Nullable String problem() {
    return Probe.PROBLEM;
  }

  @Override
  public ReactorDriver open(DriverHost host) {
    return new UringDriver(host);
  }

  /// Found out once.
  private static final class Probe {
    static final @Nullable String PROBLEM =
        Availability.problem("Linux", "netty-transport-native-io_uring", Probe::cause);

    private static @Nullable Throwable cause() {
      if (!IoUring.isAvailable()) {
        return IoUring.unavailabilityCause();
      }
      return IoUring.isPollAddMultishotEnabled()
          ? RingTrial.failure()
          : new UnsupportedOperationException(
              "the kernel has no multishot polls; they came with Linux 5.13");
    }
  }
}
