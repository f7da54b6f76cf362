// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("T7")
@Tag("once")
class ReadyQueueTest {
  private final ReadyQueue queue = new ReadyQueue();

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
  void normalEntries_leaveInTheOrderOfArrival() {
    for (String entry : List.of("a", "b", "c")) {
      queue.add(entry);
    }
    assertThat(drain()).containsExactly("a", "b", "c");
  }

  @Test
  void guess_whereNoWakerComesBetween_isWhatLeavesThen() {
    for (int i = 0; i < 100; i++) {
      queue.add(i);
    }
    for (int i = 0; i < 90; i++) {
      queue.poll();
    }
    for (int i = 100; i < 200; i++) {
      queue.add(i); // its ring of 128 wraps
    }
    assertThat(queue.peekAhead(0)).isEqualTo(90);
    assertThat(queue.peekAhead(109)).isEqualTo(199);
    assertThat(queue.peekAhead(110)).isNull();
    assertThat(drain()).startsWith(90, 91).endsWith(198, 199);
  }

  @Test
  void highEntries_leaveBeforeNormalOnesInTheirOrderOfArrival() {
    queue.add("normal");
    queue.addHigh("high 1");
    queue.addHigh("high 2");
    assertThat(drain()).containsExactly("high 1", "high 2", "normal");
  }

  @Test
  void oneNormalEntry_after64HighOnes_leaves() {
    queue.add("normal 1");
    queue.add("normal 2");
    for (int i = 0; i < 130; i++) {
      queue.addHigh(i);
    }
    List<Object> order = drain();
    assertThat(order.indexOf("normal 1")).isEqualTo(64);
    assertThat(order.indexOf("normal 2")).isEqualTo(129);
    assertThat(order).hasSize(132);
  }

  @Test
  void highEntriesAlone_beyond64_goOn() {
    for (int i = 0; i < 100; i++) {
      queue.addHigh(i);
    }
    assertThat(drain()).hasSize(100);
  }

  @Test
  void aNormalEntryInBetween_beginsTheCountAnew() {
    for (int i = 0; i < 63; i++) {
      queue.addHigh(i);
    }
    drain();
    queue.add("alone");
    drain();
    queue.add("normal");
    for (int i = 0; i < 64; i++) {
      queue.addHigh(i);
    }
    assertThat(drain().indexOf("normal")).isEqualTo(64);
  }

  @Test
  void size_countsBothLanes() {
    queue.add("a");
    queue.addHigh("b");
    assertThat(queue.size()).isEqualTo(2);
    assertThat(queue.isEmpty()).isFalse();
  }
}
