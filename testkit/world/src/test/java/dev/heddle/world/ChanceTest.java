// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.world.programs.Chances;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// All chance of a program follows from the world's.
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
    Set<Object> orders = new HashSet<>();
    for (int seed = 0; seed < 20; seed++) {
      Object order = FifoWorld.run(seed, Chances::orderOfSet).orThrow();
      assertThat(FifoWorld.run(seed, Chances::orderOfSet).orThrow()).isEqualTo(order);
      orders.add(order);
    }
    assertThat(orders).hasSizeGreaterThan(1);
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
