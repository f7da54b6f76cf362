// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The ids of held requests.
@Tag("C9")
class HeldAsksTest {
  private static final int STEPS = 20_000;
  private static final int SEEDS = 20;

  private final HeldAsks asks = new HeldAsks();

  /// As a set of ids would.
  @Test
  @Tag("C5")
  void anySequence_containsWhatWasAdded_andNotRemoved() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Set<Long> expected = new HashSet<>();
      for (int i = 0; i < STEPS; i++) {
        long id = random.nextInt(50) == 0 ? random.nextLong() : random.nextLong(-300, 300);
        if (random.nextBoolean()) {
          asks.add(id);
          expected.add(id);
        } else {
          asks.remove(id);
          expected.remove(id);
        }
        long looked = random.nextLong(-300, 300);
        assertThat(asks.contains(looked))
            .as("seed %d, step %d, id %d", seed, i, looked)
            .isEqualTo(expected.contains(looked));
      }
      for (long id : expected) {
        assertThat(asks.contains(id)).isTrue();
        asks.remove(id);
      }
      assertThat(asks.memory()).isZero();
    }
  }

  @Test
  void idsOfAFlood_takeLessThanTwoBytesEach() {
    int flood = 100_000;
    for (long id = 1; id <= flood; id++) {
      asks.add(id);
    }
    assertThat(asks.memory()).isPositive().isLessThan(2L * flood);
  }

  @Test
  void idsThatAreFarFromEachOther_countOneEntryEach() {
    for (long id = 0; id < 10; id++) {
      asks.add(id * 1_000);
    }
    assertThat(asks.memory()).isEqualTo(10L * HeldAsks.ENTRY_COST);
    asks.remove(500);
    assertThat(asks.memory()).isEqualTo(10L * HeldAsks.ENTRY_COST);
    asks.clear();
    assertThat(asks.memory()).isZero();
  }
}
