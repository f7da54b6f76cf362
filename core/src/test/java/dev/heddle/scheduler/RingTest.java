// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("T7")
@Tag("once")
class RingTest {
  @Test
  void poll_ofAnEmptyRing_isNull() {
    Ring ring = new Ring(2);
    assertThat(ring.poll()).isNull();
    assertThat(ring.peek()).isNull();
    assertThat(ring.isEmpty()).isTrue();
  }

  @Test
  void entries_beyondTheCapacity_leaveInTheOrderOfArrival() {
    Ring ring = new Ring(2);
    for (int i = 0; i < 100; i++) {
      ring.add(i);
    }
    for (int i = 0; i < 100; i++) {
      assertThat(ring.poll()).isEqualTo(i);
    }
  }

  @Test
  void growth_ofAWrappedRing_keepsTheOrder() {
    Ring ring = new Ring(4);
    for (int i = 0; i < 4; i++) {
      ring.add(i);
    }
    ring.poll();
    ring.poll();
    for (int i = 4; i < 9; i++) {
      ring.add(i);
    }
    for (int i = 2; i < 9; i++) {
      assertThat(ring.poll()).isEqualTo(i);
    }
  }

  @Test
  void peek_ofARing_takesNothing() {
    Ring ring = new Ring(2);
    ring.add("a");
    assertThat(ring.peek()).isEqualTo("a");
    assertThat(ring.size()).isOne();
  }

  @Test
  void capacity_thatIsNoPowerOfTwo_isRefused() {
    assertThatThrownBy(() -> new Ring(3)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Ring(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void randomPrograms_onRingAndDeque_agree() {
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      Ring ring = new Ring(1 << random.nextInt(4));
      ArrayDeque<Object> model = new ArrayDeque<>();
      for (int i = 0; i < 400; i++) {
        if (random.nextInt(5) < 3) {
          ring.add(i);
          model.add(i);
        } else {
          assertThat(ring.poll()).as("seed %d", seed).isEqualTo(model.poll());
        }
        assertThat(ring.size()).as("seed %d", seed).isEqualTo(model.size());
        assertThat(ring.peek()).as("seed %d", seed).isEqualTo(model.peek());
      }
    }
  }
}
