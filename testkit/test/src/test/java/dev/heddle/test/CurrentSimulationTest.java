// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Where `Simulation.elapsed()` and its like can be called, and what they say elsewhere.
@Timeout(300)
class CurrentSimulationTest {
  private static void refuses(Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("call it inside Simulation.run or @HeddleTest");
  }

  @Test
  void callOutsideOfASimulation_saysWhereItBelongs() {
    refuses(Simulation::elapsed);
    refuses(Simulation::random);
    refuses(Simulation::network);
    refuses(Simulation::files);
  }

  @Test
  void callInARealLoop_saysWhereItBelongs() {
    Heddle.run(() -> refuses(Simulation::elapsed));
  }

  @Test
  @Tag("agent")
  void threadOfTheProgram_canCallThem() {
    Simulation.run(() -> {
      List<Object> seen = new ArrayList<>();
      Thread thread =
          new Thread(() -> {
            seen.add(Simulation.elapsed());
            seen.add(Simulation.random());
            seen.add(Simulation.network());
            seen.add(Simulation.files());
          });
      Thread.sleep(Duration.ofHours(1));
      thread.start();
      thread.join();
      assertThat(seen)
          .containsExactly(
              Duration.ofHours(1), Simulation.random(), Simulation.network(), Simulation.files());
    });
  }
}
