// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The chance of a network.
class NetworkChanceTest {
  @Test
  void faultThatIsAdded_leavesTheDrawsOfOthersAsTheyWere() {
    List<Long> without = new ArrayList<>();
    List<Long> with = new ArrayList<>();
    for (List<Long> times : List.of(without, with)) {
      Chance chance = new Chance(5);
      for (int i = 0; i < 100; i++) {
        if (times == with) {
          chance.happens(Chance.Concern.SEGMENT_LOSS, 0.5);
        }
        times.add(chance.between(Chance.Concern.LATENCY, 0, 1_000_000));
      }
    }
    assertThat(with).isEqualTo(without);
  }
}
