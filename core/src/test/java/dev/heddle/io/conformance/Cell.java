// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.reactor.Drivers;
import dev.heddle.reactor.driver.DriverProvider;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;

/// One driver, and one kind of stream.
record Cell(String driver, Pair.Kind kind) {
  /// All there are.
  static Stream<Cell> all() {
    return drivers()
        .flatMap(driver ->
            Arrays.stream(Pair.Kind.values())
                .filter(kind -> kind.isServedBy(driver))
                .map(kind -> new Cell(driver, kind)));
  }

  /// The drivers on the class path that are made for this system. Where the system refuses one, as
  /// containers refuse io_uring, its rows are skipped and say why. `conformance.drivers` names one
  /// that is tested alone.
  static Stream<String> drivers() {
    String foreign = System.getProperty("os.name").startsWith("Mac") ? "epoll|io_uring" : "kqueue";
    String only = System.getProperty("conformance.drivers", ".*");
    return Drivers.offered().stream()
        .map(DriverProvider::name)
        .filter(driver -> driver.matches(only))
        .filter(driver -> !driver.matches(foreign));
  }

  /// Skips the test, with the reason, where the driver does not work.
  static void require(String driver) {
    Drivers.offered().stream()
        .filter(offered -> offered.name().equals(driver))
        .map(DriverProvider::problem)
        .filter(Objects::nonNull)
        .forEach(problem -> abort("not proved here is this on " + driver + ": " + problem));
  }

  /// Whether the driver's descriptors have numbers that can be told.
  static boolean showsNumbers(String driver) {
    return driver.equals("epoll") || driver.equals("io_uring");
  }

  /// Whether the driver has a network in memory, to which no socket of other code leads.
  static boolean isSimulated(String driver) {
    return driver.equals("simulated");
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
    require(driver);
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
