// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.test.Simulation;
import dev.heddle.test.SimulationError;
import dev.heddle.test.SimulationOptions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Carriers that do not end.
@Timeout(300)
class CarrierWatchTest {
  private static final SimulationOptions IMPATIENT =
      SimulationOptions.defaults().withPatience(Duration.ofMillis(200));

  private static final CountDownLatch END = new CountDownLatch(1);

  /// Holds the carrier: its initialiser waits, and a virtual thread cannot leave it.
  private static final class Held {
    static {
      awaitUninterruptibly();
    }

    private Held() {}

    private static void awaitUninterruptibly() {
      for (boolean ended = false; !ended; ) {
        try {
          END.await();
          ended = true;
        } catch (InterruptedException _) {
          // safe: it waits again, which is what the test is about
        }
      }
    }

    static void touch() {
      // the initialiser waits
    }
  }

  @Test
  void carrierThatIsBlocked_failsTheRun_withTheStack() {
    Simulation.run(() -> {}); // loads what a run needs, which takes processor time and no step
    assertThatThrownBy(() -> Simulation.run(IMPATIENT, Held::touch))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("the run does not end")
        .hasMessageContaining("Held.awaitUninterruptibly");
    END.countDown(); // the carrier goes on, and ends
  }
}
