// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.event.source.CountingHome;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The slots alone: who stands where, the order of arrival, the least deadline, and what is left
/// behind.
@Tag("once")
class TimerSlotsTest {
  private static final int SLOTS = 3;

  private final TimerQueue queue = new TimerQueue(0);
  private final TimerSlots slots = new TimerSlots(SLOTS);
  private final List<List<TimerEntry>> model = new ArrayList<>();

  TimerSlotsTest() {
    for (int slot = 0; slot < SLOTS; slot++) {
      model.add(new ArrayList<>());
    }
  }

  private TimerEntry added(int slot, long deadline) {
    TimerEntry timer = new TimerEvent(new CountingHome(), queue, deadline, false);
    boolean first = slots.add(timer, deadline, slot);
    assertThat(first).isEqualTo(model.get(slot).isEmpty());
    model.get(slot).add(timer);
    return timer;
  }

  private void remove(int slot, TimerEntry timer) {
    model.get(slot).remove(timer);
    int expected = model.get(slot).isEmpty() ? slot : TimerSlots.NONE;
    assertThat(slots.remove(timer)).isEqualTo(expected);
  }

  private static List<TimerEntry> timersOf(TimerSlots.Chunk first) {
    List<TimerEntry> timers = new ArrayList<>();
    for (TimerSlots.Chunk chunk = first; chunk != null; chunk = chunk.next) {
      for (TimerEntry timer : chunk.timers) {
        if (timer != null) {
          timers.add(timer);
        }
      }
    }
    return timers;
  }

  private void releaseAll(TimerSlots.Chunk first) {
    for (TimerSlots.Chunk chunk = first; chunk != null; chunk = chunk.next) {
      slots.release(chunk);
    }
  }

  @Test
  void randomPrograms_keepTheOrderOfArrivalAndLeaveNoChunk() {
    for (int seed = 0; seed < 60; seed++) {
      run(new Random(seed));
    }
  }

  private void run(Random random) {
    int crowd = 1 << random.nextInt(9);
    for (int step = 0; step < 1_500; step++) {
      int slot = random.nextInt(SLOTS);
      List<TimerEntry> there = model.get(slot);
      if (there.isEmpty() || random.nextInt(2 * crowd) >= there.size()) {
        added(slot, random.nextLong(500));
      } else {
        remove(slot, there.get(random.nextInt(there.size())));
      }
      checkLeast(slot);
      if (random.nextInt(400) == 0 && !there.isEmpty()) {
        take(slot, random);
      }
    }
    for (int slot = 0; slot < SLOTS; slot++) {
      for (TimerEntry timer : List.copyOf(model.get(slot))) {
        remove(slot, timer);
      }
    }
    assertThat(slots.inUse()).isZero();
  }

  private void checkLeast(int slot) {
    if (!model.get(slot).isEmpty()) {
      long least = model.get(slot).stream().mapToLong(TimerEntry::deadline).min().orElseThrow();
      assertThat(slots.least(slot)).isIn(least, TimerSlots.UNKNOWN);
    }
  }

  // timers of a slot that was taken can be removed before its chunks are released
  private void take(int slot, Random random) {
    TimerSlots.Chunk first = slots.take(slot);
    List<TimerEntry> there = model.set(slot, new ArrayList<>());
    assertThat(timersOf(first)).containsExactlyElementsOf(there);
    added(slot, 7);
    while (random.nextInt(100) > 0 && !there.isEmpty()) {
      assertThat(slots.remove(there.removeLast())).isEqualTo(TimerSlots.NONE);
    }
    assertThat(timersOf(first)).containsExactlyElementsOf(there);
    releaseAll(first);
  }

  @Test
  void least_beforeARemoval_isTheLeast() {
    for (long deadline : new long[] {5, 3, 9, 3}) {
      added(0, deadline);
    }
    assertThat(slots.least(0)).isEqualTo(3);
  }

  @Test
  void least_ofASlotFilledAnew_isKnownAgain() {
    TimerEntry first = added(0, 1);
    TimerEntry second = added(0, 2);
    remove(0, first);
    assertThat(slots.least(0)).isEqualTo(TimerSlots.UNKNOWN);
    remove(0, second);
    added(0, 3);
    assertThat(slots.least(0)).isEqualTo(3);
  }

  @Test
  void armedAndCancelledAgainAndAgain_besideOneThatStays_usesTwoChunksAtMost() {
    added(0, 1);
    for (int i = 0; i < 10_000; i++) {
      remove(0, added(0, 2));
      assertThat(slots.inUse()).isLessThanOrEqualTo(2);
    }
  }

  @Test
  void oldestCancelledForEachNewOne_usesNoMoreChunksThanTimersNeed() {
    int crowd = 6_400;
    for (int i = 0; i < 5 * crowd; i++) {
      added(0, i);
      if (i >= crowd) {
        remove(0, model.get(0).getFirst());
      }
      assertThat(slots.inUse()).isLessThanOrEqualTo(crowd / 64 + 2);
    }
  }

  /// Symptom: with 30,000 timers in the first slot, each look after a cancel took 450 us.
  @Test
  @Tag("T9")
  void theEarliestOfACrowdedSlot_cancelledAgainAndAgain_visitsTheSlotOnce() {
    int crowd = 30_000;
    int cancels = 1_000;
    long tick = 1L << TimerQueue.TICK_SHIFT;
    List<TimerEntry> timers = new ArrayList<>();
    for (int i = 0; i < crowd; i++) {
      timers.add(new TimerEvent(new CountingHome(), queue, 10_000 * tick + i, false));
      timers.getLast().start();
    }
    assertThat(queue.heap.visited).isZero();
    for (int i = 0; i < cancels; i++) {
      assertThat(queue.nextDeadline()).isEqualTo(timers.get(i).deadline());
      timers.get(i).stop();
    }
    assertThat(queue.heap.visited).isLessThan(2L * crowd + cancels * 40L);
  }

  @Test
  void aSlotThatBecameAHeap_emptied_takesTimersInConstantTimeAgain() {
    long far = 10_000L << TimerQueue.TICK_SHIFT;
    TimerEntry first = new TimerEvent(new CountingHome(), queue, far, false);
    TimerEntry second = new TimerEvent(new CountingHome(), queue, far + 1, false);
    first.start();
    second.start();
    first.stop();
    assertThat(queue.nextDeadline()).isEqualTo(far + 1);
    second.stop();
    long before = queue.heap.visited;
    for (int i = 1_000; i > 0; i--) {
      new TimerEvent(new CountingHome(), queue, far + i, false).start();
    }
    assertThat(queue.nextDeadline()).isEqualTo(far + 1);
    assertThat(queue.heap.visited).isEqualTo(before);
  }

  @Test
  void aSlotThatHasFired_leavesNoChunkBehindTheNextOne() {
    long tick = 1L << TimerQueue.TICK_SHIFT;
    for (int i = 0; i < 200; i++) {
      new TimerEvent(new CountingHome(), queue, 100 * tick + i, false).start();
      new TimerEvent(new CountingHome(), queue, 9_000 * tick + i, false).start();
    }
    new TimerEvent(new CountingHome(), queue, 9_001 * tick, false).start();
    queue.advance(9_001 * tick);
    assertThat(queue.size()).isZero();
    assertThat(queue.slots.inUse()).isOne();
  }
}
