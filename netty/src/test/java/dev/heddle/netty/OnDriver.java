// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.reactor.driver.DriverProvider;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;

/// A test with a row for each of the module's drivers that are made for this system. Where the
/// system refuses one, as containers refuse io_uring, its rows are skipped and say why.
public interface OnDriver {
  /// The row's driver.
  String driver();

  @BeforeEach
  default void requireDriver() {
    require(driver());
  }

  /// The module's drivers, whether they work here or not.
  static Stream<DriverProvider> all() {
    OnDriver.class.getModule().addUses(DriverProvider.class);
    return ServiceLoader.load(DriverProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(p -> p.getClass().getName().startsWith("dev.heddle.netty."));
  }

  /// Those that are made for this system.
  static Stream<String> names() {
    boolean isMac = System.getProperty("os.name").startsWith("Mac");
    return all()
        .map(DriverProvider::name)
        .filter(name -> name.equals("nio") || name.equals("kqueue") == isMac);
  }

  /// Skips the test, with the reason, where the driver does not work.
  static void require(String driver) {
    DriverProvider provider = all().filter(p -> p.name().equals(driver)).findFirst().orElseThrow();
    String problem = provider.problem();
    assumeTrue(problem == null, () -> "not proved here is this on " + driver + ": " + problem);
  }
}
