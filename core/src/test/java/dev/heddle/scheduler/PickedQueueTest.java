// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("T7")
@Tag("once")
class PickedQueueTest {
  private final List<Integer> asked = new ArrayList<>();
  private int answer;
  private final ReadyQueue queue =
      ReadyQueue.of(ready -> {
        asked.add(ready);
        return Math.min(answer, ready - 1);
      });

  private List<Object> drain() {
    List<Object> drained = new ArrayList<>();
    while (!queue.isEmpty()) {
      Object peeked = queue.peek();
      Object polled = queue.poll();
      assertThat(polled).isSameAs(peeked);
      drained.add(polled);
    }
    return drained;
  }

  @Test
  void usualPicker_needsNoQueueOfItsOwn() {
    assertThat(ReadyQueue.of(ReadyPicker.FIFO)).hasSameClassAs(new ReadyQueue());
    assertThat(ReadyPicker.FIFO.pick(7)).isZero();
  }

  @Test
  void pickedEntry_leavesAndTheOthersKeepTheirOrder() {
    for (String entry : List.of("a", "b", "c", "d")) {
      queue.add(entry);
    }
    answer = 2;
    assertThat(queue.poll()).isEqualTo("c");
    answer = 0;
    assertThat(drain()).containsExactly("a", "b", "d");
  }

  @Test
  void picker_isAskedOnceForEachDecision() {
    queue.add("a");
    queue.add("b");
    answer = 1;
    assertThat(queue.peek()).isEqualTo("b");
    queue.add("c");
    assertThat(queue.peek()).isEqualTo("b");
    assertThat(queue.poll()).isEqualTo("b");
    assertThat(asked).containsExactly(2);
  }

  @Test
  void highEntry_thatComesAfterAChoice_goesFirstAndTheChoiceIsMadeAnew() {
    queue.add("a");
    queue.add("b");
    answer = 1;
    assertThat(queue.peek()).isEqualTo("b");
    queue.addHigh("high");
    answer = 0;
    assertThat(drain()).containsExactly("high", "b", "a");
    assertThat(asked).containsExactly(2, 1, 2, 1);
  }

  @Test
  void sameEntryTwice_isPickedTwice() {
    queue.add("a");
    queue.add("a");
    assertThat(drain()).containsExactly("a", "a");
    assertThat(asked).containsExactly(2, 1);
  }

  @Test
  void emptyQueue_asksNothing() {
    assertThat(queue.peek()).isNull();
    assertThat(queue.poll()).isNull();
    assertThat(asked).isEmpty();
  }

  @Test
  void pickerThatPicksNothing_isRefused() {
    ReadyQueue wrong = ReadyQueue.of(ready -> ready);
    wrong.add("a");
    assertThatThrownBy(wrong::peek).isInstanceOf(IndexOutOfBoundsException.class);
  }
}
