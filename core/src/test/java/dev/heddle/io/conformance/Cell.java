// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.reactor.Drivers;
import dev.heddle.reactor.driver.DriverProvider;
import java.util.Arrays;
import java.util.stream.Stream;

/// One driver that works here, and one kind of stream.
record Cell(String driver, Pair.Kind kind) {
  /// All there are.
  static Stream<Cell> all() {
    return drivers()
        .flatMap(driver ->
            Arrays.stream(Pair.Kind.values())
                .filter(kind -> kind.isServedBy(driver))
                .map(kind -> new Cell(driver, kind)));
  }

  /// The drivers that work here.
  static Stream<String> drivers() {
    return Drivers.offered().stream()
        .filter(driver -> driver.problem() == null)
        .map(DriverProvider::name);
  }

  /// Whether the driver's descriptors have numbers that can be told.
  static boolean showsNumbers(String driver) {
    return driver.equals("epoll") || driver.equals("io_uring");
  }

  /// Runs a loop on the driver, with two ends.
  void run(Program program) {
    run(
        driver,
        () -> {
          try (Pair pair = kind.open()) {
            program.run(pair);
          }
        });
  }

  /// Runs a loop on a driver; coroutines that fail do so for those who await them.
  static void run(String driver, Action program) {
    Heddle.run(HeddleOptions.defaults().withDriver(driver), () -> Heddle.supervise(program));
  }

  /// What is done with two ends.
  @FunctionalInterface
  interface Program {
    void run(Pair pair) throws Exception;
  }

  @Override
  public String toString() {
    return driver + ", " + kind;
  }
}
