// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.Listener;
import dev.heddle.io.Tcp;
import dev.heddle.netty.OnDriver;
import dev.heddle.observe.HoldReport;
import dev.heddle.observe.LoopReport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A carrier that sleeps in its driver is told from one that stands in a callback of it by its
/// stack, and each driver has its own.
@Tag("trap-42")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdleLoopTest {
  private static final Duration LIMIT = Duration.ofMillis(500);
  private static final int TRIES = 5; // a carrier that the machine does not run holds, too

  private final List<HoldReport> reports = new CopyOnWriteArrayList<>();

  private void told(LoopReport report) {
    if (report instanceof HoldReport hold) {
      reports.add(hold);
    }
  }

  private void beIdle(String driver) {
    reports.clear();
    HeddleOptions options =
        HeddleOptions.defaults().withDriver(driver).withHoldLimit(LIMIT).withReports(this::told);
    Heddle.run(options, IdleLoopTest::acceptNobody);
  }

  private static void acceptNobody() throws IOException {
    try (Listener listener =
        Tcp.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      Coroutine<?> acceptor = Heddle.spawn(listener::accept);
      Heddle.delay(LIMIT.multipliedBy(4));
      acceptor.cancel("nobody comes");
    }
  }

  @ParameterizedTest
  @MethodSource("dev.heddle.netty.driver.HandDriven#names")
  void loopThatSleeps_isNoHold(String driver) {
    OnDriver.require(driver);
    beIdle(driver);
    for (int i = 1; i < TRIES && !reports.isEmpty(); i++) {
      beIdle(driver);
    }
    assertThat(reports).isEmpty();
  }
}
