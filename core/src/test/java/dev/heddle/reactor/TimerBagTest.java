// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.event.CountingHome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The bag alone: where entries stand, the least deadline, and what order costs.
@Tag("once")
class TimerBagTest {
  private static final Comparator<TimerEvent> BY_DEADLINE =
      Comparator.comparingLong(TimerEvent::deadline).thenComparingLong(timer -> timer.sequence);

  private static final long TICK = 1L << TimerQueue.TICK_SHIFT;

  private final TimerQueue queue = new TimerQueue(0);
  private final TimerBag.Chunks chunks = new TimerBag.Chunks();
  private final List<TimerEvent> inside = new ArrayList<>();
  private long sequence;

  private TimerEvent added(TimerBag bag, long deadline) {
    TimerEvent timer = new TimerEvent(new CountingHome(), queue, deadline, false);
    timer.sequence = sequence++;
    bag.add(timer, deadline);
    inside.add(timer);
    return timer;
  }

  @Test
  void randomAddsAndRemoves_withAndWithoutOrder_keepIndicesAndTheLeast() {
    for (boolean ordered : new boolean[] {false, true}) {
      for (int asksEvery = 1; asksEvery <= 64; asksEvery *= 8) {
        inside.clear();
        run(new TimerBag(chunks, ordered), new Random(asksEvery), asksEvery);
      }
    }
  }

  private void run(TimerBag bag, Random random, int asksEvery) {
    for (int step = 0; step < 20_000; step++) {
      boolean grows = step / 2_000 % 2 == 0;
      if (inside.isEmpty() || random.nextInt(100) < (grows ? 60 : 35)) {
        added(bag, random.nextLong(500));
      } else {
        bag.remove(inside.remove(random.nextInt(inside.size())).at);
      }
      assertThat(bag.size()).isEqualTo(inside.size());
      if (!inside.isEmpty() && random.nextInt(asksEvery) == 0) {
        long least = inside.stream().mapToLong(TimerEvent::deadline).min().orElseThrow();
        assertThat(bag.least()).isEqualTo(least);
      }
    }
    assertThat(inside)
        .allMatch(timer -> timer.at >= 0 && timer.at < bag.size())
        .extracting(timer -> timer.at)
        .doesNotHaveDuplicates();
  }

  @Test
  @Tag("trap-15")
  void poll_ofAnOrderedBag_goesByDeadlineAndArming() {
    TimerBag bag = new TimerBag(chunks, true);
    Random random = new Random(3);
    for (int i = 0; i < 1_000; i++) {
      added(bag, random.nextLong(50));
    }
    inside.sort(BY_DEADLINE);
    for (TimerEvent expected : inside) {
      assertThat(bag.poll()).isSameAs(expected);
    }
    assertThat(bag.isEmpty()).isTrue();
  }

  /// Symptom: with 30,000 timers in the first slot, each look after a cancel took 450 us.
  @Test
  @Tag("T9")
  void theEarliestOfACrowdedBag_cancelledAgainAndAgain_visitsTheBagOnce() {
    int crowd = 30_000;
    TimerBag bag = new TimerBag(chunks, false);
    Random random = new Random(5);
    for (int i = 0; i < crowd; i++) {
      added(bag, random.nextLong(1L << 40));
    }
    inside.sort(BY_DEADLINE);
    assertThat(bag.visited()).isZero();
    int cancels = 1_000;
    for (int i = 0; i < cancels; i++) {
      assertThat(bag.least()).isEqualTo(inside.get(i).deadline());
      bag.remove(inside.get(i).at);
    }
    // making the heap: under 2 looks an entry; a removal: 4 for each of 8 levels, and one upwards
    assertThat(bag.visited()).isLessThan(2L * crowd + cancels * 40L);
  }

  @Test
  void theEarliestOfACrowdedBag_cancelledWhileOthersAreArmed_costsTheLogarithm() {
    int crowd = 30_000;
    TimerBag bag = new TimerBag(chunks, false);
    for (int i = 0; i < crowd; i++) {
      added(bag, 1_000_000 + i);
    }
    for (int i = 0; i < 1_000; i++) {
      TimerEvent earliest = added(bag, 1_000_000 - i);
      assertThat(bag.least()).isEqualTo(earliest.deadline());
      bag.remove(earliest.at);
      assertThat(bag.least()).isEqualTo(1_000_000);
    }
    assertThat(bag.visited()).isLessThan(2L * crowd + 1_000 * 50L);
  }

  @Test
  void aBagThatWasOrdered_emptied_takesTimersInConstantTimeAgain() {
    TimerBag bag = new TimerBag(chunks, false);
    TimerEvent first = added(bag, 1);
    TimerEvent second = added(bag, 2);
    bag.remove(first.at);
    assertThat(bag.least()).isEqualTo(2);
    bag.remove(second.at);
    long before = bag.visited();
    for (int deadline = 1_000; deadline > 0; deadline--) {
      added(bag, deadline);
    }
    assertThat(bag.least()).isOne();
    assertThat(bag.visited()).isEqualTo(before);
  }

  @Test
  void anEmptiedBag_keepsOneChunkAtMost_andThePoolAsManyAsAreUsed() {
    TimerBag bag = new TimerBag(chunks, false);
    for (int i = 0; i < 64 * 1_000; i++) {
      added(bag, i);
    }
    assertThat(chunks.free()).isZero();
    for (TimerEvent timer : inside) {
      bag.remove(timer.at);
    }
    assertThat(chunks.free()).isBetween(1, 65);
    assertThat(chunks.used()).isEqualTo(1);
  }

  @Test
  void aChunkGivenBack_holdsNoTimer() {
    TimerBag bag = new TimerBag(chunks, false);
    for (int i = 0; i < 200; i++) {
      added(bag, i);
    }
    for (TimerEvent timer : inside) {
      bag.remove(timer.at);
    }
    while (chunks.free() > 0) {
      assertThat(chunks.take().timers).containsOnlyNulls();
    }
  }

  @Test
  void aChunkThatWasSpilled_holdsNoTimer() {
    TimerQueue wheel = new TimerQueue(0);
    for (int i = 0; i < 200; i++) {
      new TimerEvent(new CountingHome(), wheel, 100 * TICK + i, false).start();
    }
    wheel.advance(100 * TICK);
    assertThat(wheel.chunks().used()).isZero();
    for (int i = wheel.chunks().free(); i > 0; i--) {
      assertThat(wheel.chunks().take().timers).containsOnlyNulls();
    }
  }
}
