// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.LoopGroup;
import dev.heddle.reactor.driver.DriverProvider;
import java.util.Comparator;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/// Two loops over one driver, with threads beside them, and coroutines that ask and check.
final class TwoLoops {
  static final int LOOPS = 2;

  private static final int ASKERS = 40; // a loop
  private static final int LONGEST = 3_000; // characters; more than a packet on most networks

  private static final AtomicLong NAMES = new AtomicLong(); // of askers, one of a kind

  private TwoLoops() {}

  /// Asks whatever is tested.
  interface Service {
    /// Must return [#answer] to the question.
    String ask(String question) throws Exception;
  }

  /// The drivers with Netty in them that are made for this system. Where the system refuses one, as
  /// containers refuse io_uring, its rows are skipped and say why.
  static Stream<String> drivers() {
    boolean isMac = System.getProperty("os.name").startsWith("Mac");
    return all()
        .map(DriverProvider::name)
        .filter(name -> name.equals("nio") || name.equals("kqueue") == isMac);
  }

  private static Stream<DriverProvider> all() {
    return ServiceLoader.load(DriverProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(p -> p.getClass().getName().startsWith("dev.heddle.netty."));
  }

  /// Skips the test, with the reason, where there is no such driver or it does not work.
  static void require(String driver) {
    Optional<DriverProvider> provider = all().filter(p -> p.name().equals(driver)).findFirst();
    String problem = provider.isEmpty() ? "Netty has none" : provider.get().problem();
    assumeTrue(problem == null, () -> "not proved here is this on " + driver + ": " + problem);
  }

  /// Runs `onEach` as a coroutine of each loop, beside other threads; fails with it.
  static void run(String driver, Action onEach) throws Exception {
    require(driver);
    OtherThreads others = new OtherThreads();
    try (LoopGroup group = LoopGroup.start(HeddleOptions.defaults().withDriver(driver), LOOPS)) {
      group.submitToEach(onEach).join();
    } finally {
      others.end();
    }
  }

  /// How many questions the full run asks: a million on the driver that programs get here by
  /// default, and a hundred thousand on each other, which differs from it only below the library.
  static int many(String driver) {
    String first =
        all()
            .filter(provider -> provider.problem() == null)
            .max(Comparator.comparingInt(DriverProvider::priority))
            .map(DriverProvider::name)
            .orElseThrow();
    return driver.equals(first) ? 1_000_000 : 100_000;
  }

  /// The only right answer.
  static String answer(String question) {
    return "answer to " + question;
  }

  /// Asks on this loop, by many coroutines at once, and compares each answer with its question.
  ///
  /// @param questions of both loops together
  static void askAll(int questions, Service service) {
    int each = questions / LOOPS / ASKERS;
    Heddle.scope(() -> {
      for (int i = 0; i < ASKERS; i++) {
        Heddle.launch("asker", () -> askInTurn(each, service));
      }
    });
  }

  private static void askInTurn(int questions, Service service) throws Exception {
    long name = NAMES.incrementAndGet();
    for (int i = 0; i < questions; i++) {
      String question = question(name, i);
      assertThat(service.ask(question)).isEqualTo(answer(question));
    }
  }

  /// One that nobody else asks, of a length of its own.
  static String question(long asker, int number) {
    String name = asker + "-" + number + " ";
    return name + "x".repeat((int) ((asker * 31 + number * 977L) % LONGEST));
  }
}
