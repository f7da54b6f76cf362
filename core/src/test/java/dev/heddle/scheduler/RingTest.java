// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
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
  void bringForward_ofWhatIsNotThere_isRefused() {
    Ring ring = new Ring(2);
    ring.add("a");
    assertThatThrownBy(() -> ring.bringForward(1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> ring.bringForward(-1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void randomPrograms_onRingAndList_agree() {
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      Ring ring = new Ring(1 << random.nextInt(4));
      List<Object> model = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        int dice = random.nextInt(7);
        if (dice < 4) {
          ring.add(i);
          model.add(i);
        } else if (dice == 4 && !model.isEmpty()) {
          int place = random.nextInt(model.size());
          ring.bringForward(place);
          model.addFirst(model.remove(place));
        } else {
          assertThat(ring.poll()).as("seed %d", seed).isEqualTo(headOf(model));
          model.subList(0, Math.min(1, model.size())).clear();
        }
        assertThat(ring.size()).as("seed %d", seed).isEqualTo(model.size());
        assertThat(ring.peek()).as("seed %d", seed).isEqualTo(headOf(model));
      }
    }
  }

  private static Object headOf(List<Object> model) {
    return model.isEmpty() ? null : model.getFirst();
  }
}
