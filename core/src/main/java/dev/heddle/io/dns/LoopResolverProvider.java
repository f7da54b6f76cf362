// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.dns;

import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;

/// Installs [LoopResolver] in the JDK; `-Dheddle.dns=jdk` keeps the JDK's own.
public final class LoopResolverProvider extends InetAddressResolverProvider {
  public LoopResolverProvider() {}

  @Override
  public InetAddressResolver get(Configuration configuration) {
    InetAddressResolver builtin = configuration.builtinResolver();
    return switch (NameResolvers.choice()) {
      case LOOP, THREAD -> new LoopResolver(builtin, NameResolvers::current);
      case JDK -> builtin;
    };
  }

  @Override
  public String name() {
    return "Heddle";
  }
}
