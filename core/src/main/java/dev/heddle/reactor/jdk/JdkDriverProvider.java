// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.DriverProvider;
import dev.heddle.reactor.driver.ReactorDriver;

/// Provides the driver that works on every JDK.
public final class JdkDriverProvider implements DriverProvider {
  public JdkDriverProvider() {}

  @Override
  public String name() {
    return JdkDriver.NAME;
  }

  @Override
  public String description() {
    return "java.nio selectors; needs nothing but the JDK";
  }

  @Override
  public int priority() {
    return 0;
  }

  @Override
  public ReactorDriver open(DriverHost host) {
    return new JdkDriver(host.carrier());
  }
}
