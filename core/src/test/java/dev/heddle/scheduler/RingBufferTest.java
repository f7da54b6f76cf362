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
class RingBufferTest {
  @Test
  void poll_ofAnEmptyRing_isNull() {
    RingBuffer ringBuffer = new RingBuffer(2);
    assertThat(ringBuffer.poll()).isNull();
    assertThat(ringBuffer.peek()).isNull();
    assertThat(ringBuffer.isEmpty()).isTrue();
  }

  @Test
  void entries_beyondTheCapacity_leaveInTheOrderOfArrival() {
    RingBuffer ringBuffer = new RingBuffer(2);
    for (int i = 0; i < 100; i++) {
      ringBuffer.add(i);
    }
    for (int i = 0; i < 100; i++) {
      assertThat(ringBuffer.poll()).isEqualTo(i);
    }
  }

  @Test
  void growth_ofAWrappedRing_keepsTheOrder() {
    RingBuffer ringBuffer = new RingBuffer(4);
    for (int i = 0; i < 4; i++) {
      ringBuffer.add(i);
    }
    ringBuffer.poll();
    ringBuffer.poll();
    for (int i = 4; i < 9; i++) {
      ringBuffer.add(i);
    }
    for (int i = 2; i < 9; i++) {
      assertThat(ringBuffer.poll()).isEqualTo(i);
    }
  }

  @Test
  void peek_ofARing_takesNothing() {
    RingBuffer ringBuffer = new RingBuffer(2);
    ringBuffer.add("a");
    assertThat(ringBuffer.peek()).isEqualTo("a");
    assertThat(ringBuffer.size()).isOne();
  }

  @Test
  void capacity_thatIsNoPowerOfTwo_isRefused() {
    assertThatThrownBy(() -> new RingBuffer(3)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new RingBuffer(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void bringForward_ofWhatIsNotThere_isRefused() {
    RingBuffer ringBuffer = new RingBuffer(2);
    ringBuffer.add("a");
    assertThatThrownBy(() -> ringBuffer.bringForward(1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> ringBuffer.bringForward(-1))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void randomPrograms_onRingAndList_agree() {
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      RingBuffer ringBuffer = new RingBuffer(1 << random.nextInt(4));
      List<Object> model = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        int dice = random.nextInt(7);
        if (dice < 4) {
          ringBuffer.add(i);
          model.add(i);
        } else if (dice == 4 && !model.isEmpty()) {
          int place = random.nextInt(model.size());
          ringBuffer.bringForward(place);
          model.addFirst(model.remove(place));
        } else {
          assertThat(ringBuffer.poll()).as("seed %d", seed).isEqualTo(headOf(model));
          model.subList(0, Math.min(1, model.size())).clear();
        }
        assertThat(ringBuffer.size()).as("seed %d", seed).isEqualTo(model.size());
        assertThat(ringBuffer.peek()).as("seed %d", seed).isEqualTo(headOf(model));
      }
    }
  }

  private static Object headOf(List<Object> model) {
    return model.isEmpty() ? null : model.getFirst();
  }
}
