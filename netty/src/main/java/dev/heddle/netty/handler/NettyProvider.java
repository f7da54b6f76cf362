// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.DriverProvider;
import dev.heddle.reactor.driver.ReactorDriver;
import java.util.function.Function;

/// Provides a driver over a Netty I/O handler.
public abstract class NettyProvider implements DriverProvider {
  private final String name;
  private final String description;
  private final int priority;
  private final Function<DriverHost, ReactorDriver> opener;

  /// Creates a provider with the values that its methods return.
  protected NettyProvider(
      String name, String description, int priority, Function<DriverHost, ReactorDriver> opener) {
    this.name = name;
    this.description = description;
    this.priority = priority;
    this.opener = opener;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final String description() {
    return description;
  }

  @Override
  public final int priority() {
    return priority;
  }

  @Override
  public final ReactorDriver open(DriverHost host) {
    return opener.apply(host);
  }
}
