// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.event.source.CountingHome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The heap alone: its order, where entries stand, and what order costs.
@Tag("once")
class TimerHeapTest {
  private static final int ONE_SLOT = 0;

  private final TimerQueue queue = new TimerQueue(0);
  private final TimerHeap heap = new TimerHeap();
  private final List<TimerEntry> inside = new ArrayList<>(); // in the order of arrival

  private TimerEntry timer(long deadline) {
    TimerEntry timer = new TimerEvent(new CountingHome(), queue, deadline, false);
    inside.add(timer);
    return timer;
  }

  private TimerEntry added(long deadline) {
    TimerEntry timer = timer(deadline);
    heap.add(timer, deadline);
    return timer;
  }

  private void remove(TimerEntry timer) {
    inside.remove(timer);
    heap.remove(timer);
  }

  private TimerSlots.Chunk slotOf(List<TimerEntry> timers) {
    TimerSlots slots = new TimerSlots(1);
    for (TimerEntry timer : timers) {
      slots.add(timer, timer.deadline(), ONE_SLOT);
    }
    return slots.take(ONE_SLOT);
  }

  // stable: equal deadlines stay in the order of arrival
  private List<TimerEntry> sorted() {
    return inside.stream().sorted(Comparator.comparingLong(TimerEntry::deadline)).toList();
  }

  @Test
  @Tag("trap-15")
  void randomAddsAndRemoves_keepPlacesAndTheOrder() {
    Random random = new Random(1);
    for (int step = 0; step < 5_000; step++) {
      boolean grows = step / 1_000 % 2 == 0;
      if (inside.isEmpty() || random.nextInt(100) < (grows ? 60 : 35)) {
        added(random.nextLong(200));
      } else {
        remove(inside.get(random.nextInt(inside.size())));
      }
      assertThat(heap.isEmpty()).isEqualTo(inside.isEmpty());
      if (!inside.isEmpty()) {
        assertThat(heap.least()).isEqualTo(sorted().getFirst().deadline());
      }
    }
    assertThat(inside).extracting(timer -> timer.at).doesNotHaveDuplicates();
    for (TimerEntry expected : sorted()) {
      assertThat(heap.poll()).isSameAs(expected);
    }
  }

  @Test
  @Tag("trap-15")
  void poll_ofASlotTakenOver_goesByDeadlineAndArrival() {
    Random random = new Random(3);
    for (int i = 0; i < 1_000; i++) {
      timer(random.nextLong(50));
    }
    heap.addAll(slotOf(inside));
    for (int i = 0; i < 100; i++) {
      added(random.nextLong(50));
    }
    for (TimerEntry expected : sorted()) {
      assertThat(heap.poll()).isSameAs(expected);
    }
    assertThat(heap.isEmpty()).isTrue();
  }

  @Test
  void theEarliestOfACrowd_cancelledWhileOthersAreArmed_costsTheLogarithm() {
    int crowd = 30_000;
    for (int i = 0; i < crowd; i++) {
      timer(1_000_000 + i);
    }
    heap.addAll(slotOf(inside));
    for (int i = 0; i < 1_000; i++) {
      TimerEntry earliest = added(1_000_000 - i);
      assertThat(heap.least()).isEqualTo(earliest.deadline());
      heap.remove(earliest);
      assertThat(heap.least()).isEqualTo(1_000_000);
    }
    // making the heap: under 2 looks an entry; a removal: 4 for each of 8 levels, and one upwards
    assertThat(heap.visited).isLessThan(2L * crowd + 1_000 * 50L);
  }
}
