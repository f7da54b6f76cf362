// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.world.programs.AdoptedThreads;
import dev.heddle.world.programs.racy.Counter;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Preemption points, when a program runs.
@Tag("sim-19")
class PreemptionTest {
  @Test
  void noPreemption_noUpdateIsLost() throws Exception {
    FifoWorld world = new FifoWorld(1);
    assertThat(world.runMain(Counter::twice).orThrow()).isEqualTo("2");
    assertThat(world.points).contains("dev/heddle/world/programs/racy/Counter.add");
  }

  @Test
  void preemptionWithinTheAddition_losesAnUpdate() throws Exception {
    FifoWorld world = new FifoWorld(1);
    world.preemptsIn = "Counter.add";
    assertThat(world.runMain(Counter::twice).orThrow()).isEqualTo("1");
  }

  @Test
  void stall_keepsAThreadAwayForSomeTimeOfTheWorld() throws Exception {
    FifoWorld world = new FifoWorld(1);
    world.preemptsIn = "Counter.add";
    world.pauseNanos = Duration.ofSeconds(3).toNanos();
    assertThat(world.runMain(Counter::secondsOfOneAddition).orThrow()).isEqualTo("6");
  }

  @Test
  void stall_leavesThePermitOfAnUnparkAlone() throws Exception {
    FifoWorld world = new FifoWorld(1);
    world.preemptsIn = "Counter.add";
    world.pauseNanos = Duration.ofSeconds(3).toNanos();
    assertThat(world.runMain(Counter::unparkedWhileStalled).orThrow()).isEqualTo("unparked");
  }

  @Test
  void otherPackages_haveNoPoints() throws Exception {
    FifoWorld world = new FifoWorld(1);
    world.runMain(AdoptedThreads::names);
    assertThat(world.points).isEmpty();
  }
}
