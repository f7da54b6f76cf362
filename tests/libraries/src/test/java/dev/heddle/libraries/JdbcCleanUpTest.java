// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.DriverManager;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a clean-up may wait for when a JDBC driver was cut, here PostgreSQL's, which waits for a
/// server that never answers: the driver's row of the clean-up table.
@Tag("loop-320")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JdbcCleanUpTest {
  @Test
  void cleanUp_byAWaitOfHeddles_runsToItsEnd() throws Exception {
    assertThat(cutBehindADriver(() -> Heddle.delay(Duration.ofMillis(1)))).isNull();
    assertThat(cutBehindADriver(() -> Heddle.offload(() -> 1))).isNull();
  }

  @Test
  void cleanUp_byAWaitOfTheJdks_isCutUnlessItIsProtected() throws Exception {
    assertThat(cutBehindADriver(() -> Thread.sleep(1))).isInstanceOf(InterruptedException.class);
    assertThat(cutBehindADriver(() -> Heddle.shield(() -> Thread.sleep(1)))).isNull();
  }

  /// Cancels a coroutine inside the driver.
  ///
  /// @return what its clean-up was cut by; null: it came to its end
  private static @Nullable Throwable cutBehindADriver(Action cleanUp) throws IOException {
    @Nullable Throwable[] cutBy = {new AssertionError("the clean-up never began")};
    try (ServerSocket silent = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      String url = "jdbc:postgresql://127.0.0.1:" + silent.getLocalPort() + "/none?sslmode=disable";
      Heddle.run(() -> {
        var client =
            Heddle.spawn(() -> {
              try {
                DriverManager.getConnection(url, "nobody", "none").close();
              } finally {
                cutBy[0] = outcomeOf(cleanUp);
              }
            });
        silent.accept(); // the driver is connected, and waits for the first answer
        while (!client.isSuspended()) {
          Heddle.yieldNow();
        }
        client.cancel("enough");
        assertThatThrownBy(client::await).isInstanceOf(Cancellation.class);
      });
    }
    return cutBy[0];
  }

  private static @Nullable Throwable outcomeOf(Action cleanUp) {
    try {
      cleanUp.run();
      return null;
    } catch (Throwable e) {
      return e;
    }
  }
}
