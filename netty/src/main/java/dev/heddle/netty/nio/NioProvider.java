// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.nio;

import dev.heddle.netty.handler.NettyProvider;

/// Provides the driver nio.
public final class NioProvider extends NettyProvider {
  /// For the JDK's service loader.
  public NioProvider() {
    super(
        NioDriver.NAME,
        "java.nio selectors, through Netty: its pipelines run there, too",
        10,
        NioDriver::new);
  }
}
