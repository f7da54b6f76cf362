// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.world.programs.Chances;
import dev.heddle.world.programs.Environment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// All chance of a program follows from the world's.
@Tag("sim-14")
class ChanceTest {
  @Test
  void sameSeed_sameDraws() throws Exception {
    FifoWorld.run(1, Chances::drawn); // the first run in a JVM initialises classes
    Object first = FifoWorld.run(1, Chances::drawn).orThrow();
    assertThat(FifoWorld.run(1, Chances::drawn).orThrow()).isEqualTo(first);
  }

  @Test
  void otherSeed_otherDrawsOfEverySource() throws Exception {
    FifoWorld.run(1, Chances::drawn);
    Map<?, ?> one = (Map<?, ?>) FifoWorld.run(1, Chances::drawn).result();
    Map<?, ?> two = (Map<?, ?>) FifoWorld.run(2, Chances::drawn).result();
    assertThat(one).isNotNull();
    one.forEach(
        (source, drawn) -> assertThat(two.get(source)).as("%s", source).isNotEqualTo(drawn));
  }

  @Test
  void orderOfImmutableCollections_followsFromTheSeed() throws Exception {
    Map<String, Set<Object>> found = new HashMap<>();
    for (int seed = 0; seed < 30; seed++) {
      Map<?, ?> orders = (Map<?, ?>) FifoWorld.run(seed, Chances::orders).result();
      assertThat(FifoWorld.run(seed, Chances::orders).result()).isEqualTo(orders);
      orders.forEach((what, order) ->
          found.computeIfAbsent(String.valueOf(what), _ -> new HashSet<>()).add(order));
    }
    found.forEach((what, orders) ->
        // where the JVM decides: the first varies with the direction only
        assertThat(orders).as(what).hasSizeGreaterThan(what.startsWith("first") ? 2 : 1));
  }

  @Test
  void workersAndTimers_areCountedAnewInEachWorld() throws Exception {
    for (int run = 0; run < 2; run++) {
      assertThat(FifoWorld.run(Environment::workerName).result())
          .isEqualTo("ForkJoinPool-1-worker-1");
      assertThat(FifoWorld.run(Environment::timerName).result()).isEqualTo("Timer-0");
    }
  }

  @Test
  void workOutside_movesNoHashCode() throws Exception {
    Object plain = FifoWorld.run(3, () -> new Object().hashCode()).orThrow();
    Object after =
        FifoWorld.run(
                3,
                () -> {
                  OpenWorld.outside(() -> System.identityHashCode(new Object()));
                  return new Object().hashCode();
                })
            .orThrow();
    assertThat(after).isEqualTo(plain);
  }
}
