// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The items of a channel.
class ItemRingTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8, 9, 100})
  void items_leaveInOrder_whereverTheRingBegins(int capacity) {
    ItemRing ring = new ItemRing(capacity);
    int added = 0;
    int removed = 0;
    for (int round = 1; round <= 2 * capacity; round++) {
      int held = 1 + round % capacity;
      while (ring.size() < held) {
        ring.add(added++);
      }
      while (ring.size() > held / 2) {
        assertThat(ring.poll()).isEqualTo(removed++);
      }
    }
    assertThat(ring.slots()).isLessThanOrEqualTo(Math.max(capacity, 8));
    ring.clear();
    assertThat(ring.size()).isZero();
    assertThat(ring.poll()).isNull();
  }

  @Test
  void ringThatIsEmptyAfterABurst_keepsLittleMemory() {
    ItemRing ring = new ItemRing(Integer.MAX_VALUE);
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 10_000; i++) {
        ring.add(i);
      }
      for (int i = 0; i < 10_000; i++) {
        assertThat(ring.poll()).isEqualTo(i);
      }
      assertThat(ring.slots()).isLessThanOrEqualTo(1_024);
    }
  }
}
