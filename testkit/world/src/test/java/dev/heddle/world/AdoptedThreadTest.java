// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.world.FifoWorld.Outcome;
import dev.heddle.world.programs.AdoptedThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Platform threads that code of a world starts: nobody sees that a virtual thread runs them.
@Tag("sim-15")
class AdoptedThreadTest {
  @Test
  void states_asOfAnyThread() throws Exception {
    assertThat(FifoWorld.run(AdoptedThreads::states).result())
        .isEqualTo(
            List.of(
                Thread.State.NEW,
                Thread.State.RUNNABLE,
                Thread.State.WAITING,
                Thread.State.TIMED_WAITING,
                Thread.State.BLOCKED,
                Thread.State.TERMINATED));
  }

  @Test
  void life_asOfAnyThread() throws Exception {
    assertThat(FifoWorld.run(AdoptedThreads::lifeOf).result())
        .isEqualTo(
            Map.ofEntries(
                Map.entry("alive before", false),
                Map.entry("alive", true),
                Map.entry("itself", true),
                Map.entry("virtual", false),
                Map.entry("daemon", true),
                Map.entry("name", "worker"),
                Map.entry("stack", true),
                Map.entry("alive after", false),
                Map.entry("stack after", 0),
                Map.entry("second start", "refused")));
  }

  @Test
  void interrupt_reachesTheWaitAndTheFlag() throws Exception {
    assertThat(FifoWorld.run(AdoptedThreads::interrupts).result())
        .isEqualTo(List.of("sleep ended", "set true", "taken true", "left false", "park ended"));
  }

  @Test
  void inheritance_asTheJdkHasIt() throws Exception {
    assertThat(FifoWorld.run(AdoptedThreads::inheritance).result())
        .isEqualTo(List.of("inherited", "loader true", "scoped false", "own"));
  }

  @Test
  void names_countedAnewInEachWorld() throws Exception {
    List<String> names = List.of("Thread-0", "pool-1-thread-1", "Thread-1", "pool-2-thread-1");
    assertThat(FifoWorld.run(AdoptedThreads::names).result()).isEqualTo(names);
    assertThat(FifoWorld.run(AdoptedThreads::names).result()).isEqualTo(names);
  }

  @Test
  void failure_withHandler_isItsOwnMatter() throws Exception {
    Outcome outcome = FifoWorld.run(AdoptedThreads::handled);
    assertThat(outcome.result()).isEqualTo(List.of("true mine"));
    assertThat(outcome.failure()).isNull();
  }

  @Test
  void failure_withoutHandler_reachesTheWorld() throws Exception {
    for (boolean virtual : new boolean[] {false, true}) {
      Outcome outcome =
          FifoWorld.run(() -> {
            AdoptedThreads.unhandled(virtual);
            return null;
          });
      assertThat(outcome.failure()).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void faceAndBody_areToldApartByTheLoop() throws Exception {
    FifoWorld world = new FifoWorld(1);
    List<String> seen = new ArrayList<>();
    world.runMain(() -> {
      Thread body = Thread.currentThread(); // this package is not rewritten: the true thread
      Thread face = world.open().faceOf(body);
      seen.add(face.getName() + " " + face.isVirtual() + " " + body.isVirtual());
      assertThat(world.open().bodyOf(face)).isSameAs(body);
      return null;
    });
    assertThat(seen).containsExactly("main false true");
  }
}
