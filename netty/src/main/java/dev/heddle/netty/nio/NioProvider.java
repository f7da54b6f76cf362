// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.nio;

import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.DriverProvider;
import dev.heddle.reactor.driver.ReactorDriver;
import org.jspecify.annotations.Nullable;

/// Offers Netty's selector.
public final class NioProvider implements DriverProvider {
  /// For the service loader.
  public NioProvider() {}

  @Override
  public String name() {
    return NioDriver.NAME;
  }

  @Override
  public String about() {
    return "java.nio selectors, through Netty: its pipelines run there, too";
  }

  @Override
  public int rank() {
    return 10;
  }

  @Override
  public @Nullable String problem() {
    return null;
  }

  @Override
  public ReactorDriver open(DriverHost host) {
    return new NioDriver(host);
  }
}
