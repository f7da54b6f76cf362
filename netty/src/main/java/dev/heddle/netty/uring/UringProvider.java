// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.netty.handler.Availability;
import dev.heddle.netty.handler.NettyProvider;
import io.netty.channel.uring.IoUring;
import org.jspecify.annotations.Nullable;

/// Provides the driver io_uring.
public final class UringProvider extends NettyProvider {
  /// For the JDK's service loader.
  public UringProvider() {
    super(
        UringDriver.NAME,
        "Linux's io_uring, through Netty: one system call for all submissions of a turn",
        30,
        UringDriver::new);
  }

  @Override
  public @Nullable String problem() {
    return Probe.PROBLEM;
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
          ? RingProbe.failure()
          : new UnsupportedOperationException(
              "the kernel has no multishot polls; they came with Linux 5.13");
    }
  }
}
