// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.dns;

import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;

/// What the JDK finds when it looks for a resolver; `-Dheddle.dns=jdk` leaves its own in place.
public final class LoopResolverProvider extends InetAddressResolverProvider {
  private static final String PROPERTY = "heddle.dns";

  /// For the JDK's service loader.
  public LoopResolverProvider() {}

  @Override
  public InetAddressResolver get(Configuration configuration) {
    InetAddressResolver builtin = configuration.builtinResolver();
    String asked = System.getProperty(PROPERTY, "loop");
    return switch (asked) {
      case "loop" -> new LoopResolver(builtin);
      case "jdk" -> builtin;
      default ->
          throw new IllegalArgumentException(
              "-D" + PROPERTY + "=" + asked + " is not known; use loop or jdk");
    };
  }

  @Override
  public String name() {
    return "Heddle";
  }
}
