// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import dev.heddle.reactor.driver.DriverProvider;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/// The module's drivers that work on this machine.
final class TestDrivers {
  private TestDrivers() {}

  static Stream<String> names() {
    TestDrivers.class.getModule().addUses(DriverProvider.class);
    return ServiceLoader.load(DriverProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(p -> p.getClass().getName().startsWith("dev.heddle.netty."))
        .filter(p -> p.problem() == null)
        .map(DriverProvider::name);
  }
}
