// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The deque, alone and under thieves.
class WorkDequeTest {
  private static final int RIVALS = 3; // thieves beside the owner

  private static WorkDeque<Integer> filled(int items) {
    WorkDeque<Integer> deque = new WorkDeque<>();
    for (int i = 0; i < items; i++) {
      deque.push(i);
    }
    return deque;
  }

  private static List<@Nullable Integer> pops(WorkDeque<Integer> deque, int count) {
    List<@Nullable Integer> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(deque.pop());
    }
    return all;
  }

  @Test
  @Tag("P3")
  @Tag("proc-2")
  void pop_takesTheNewestFirst() {
    WorkDeque<Integer> deque = filled(5);
    assertThat(pops(deque, 6)).containsExactly(4, 3, 2, 1, 0, null);
    assertThat(deque.size()).isZero();
  }

  @Test
  @Tag("proc-3")
  void pollOldest_takesTheOldestFirst() {
    WorkDeque<Integer> deque = filled(5);
    assertThat(deque.pollOldest()).isEqualTo(0);
    assertThat(deque.pollOldest()).isEqualTo(1);
    assertThat(deque.size()).isEqualTo(3);
  }

  @Test
  @Tag("P5")
  @Tag("proc-4")
  void stealInto_takesTheOlderHalfInOrder() {
    WorkDeque<Integer> victim = filled(8);
    WorkDeque<Integer> thief = new WorkDeque<>();
    assertThat(victim.stealInto(thief)).isEqualTo(0);
    assertThat(pops(thief, 4)).containsExactly(3, 2, 1, null);
    assertThat(pops(victim, 5)).containsExactly(7, 6, 5, 4, null);
  }

  @Test
  @Tag("P5")
  void stealInto_manyItems_takesNoMoreThanTheLimit() {
    WorkDeque<Integer> victim = filled(1000);
    WorkDeque<Integer> thief = new WorkDeque<>(2, 0, WorkDeque.MAX_STEAL);
    assertThat(victim.stealInto(thief)).isEqualTo(0);
    assertThat(thief.size()).isEqualTo(WorkDeque.MAX_STEAL - 1);
    assertThat(victim.size()).isEqualTo(1000 - WorkDeque.MAX_STEAL);
  }

  @Test
  @Tag("proc-6")
  void popStealPush_mixed_keepTheEndsApart() {
    WorkDeque<Integer> deque = new WorkDeque<>();
    deque.push(1);
    deque.push(2);
    deque.push(3);
    assertThat(deque.pop()).isEqualTo(3);
    assertThat(deque.stealInto(new WorkDeque<>())).isEqualTo(1);
    deque.push(4);
    deque.push(5);
    assertThat(deque.size()).isEqualTo(3);
  }

  @Test
  @Tag("P5")
  void positions_thatWrapAround32Bits_goOn() {
    WorkDeque<Integer> deque = new WorkDeque<>(4, Integer.MAX_VALUE - 2, WorkDeque.MAX_STEAL);
    for (int i = 0; i < 100; i++) {
      deque.push(i);
    }
    WorkDeque<Integer> thief = new WorkDeque<>(2, -3, WorkDeque.MAX_STEAL);
    assertThat(deque.stealInto(thief)).isEqualTo(0);
    assertThat(thief.size()).isEqualTo(WorkDeque.MAX_STEAL - 1);
    assertThat(deque.pop()).isEqualTo(99);
    assertThat(deque.size()).isEqualTo(100 - WorkDeque.MAX_STEAL - 1);
    assertThat(deque.pollOldest()).isEqualTo(WorkDeque.MAX_STEAL);
  }

  @Test
  @Tag("P5")
  void tidy_forgetsWhatThievesTook_andNothingElse() {
    WorkDeque<Integer> deque = filled(10);
    assertThat(deque.stealInto(new WorkDeque<>())).isEqualTo(0);
    deque.clearStolen();
    assertThat(pops(deque, 6)).containsExactly(9, 8, 7, 6, 5, null);
  }

  @Test
  @Tag("P5")
  void tidy_afterABurst_givesTheLongArrayUp_whenTheDequeIsEmpty() {
    WorkDeque<Integer> deque = filled(100_000);
    deque.clearStolen();
    assertThat(deque.slots.length).isGreaterThanOrEqualTo(100_000);
    assertThat(pops(deque, 100_001).subList(99_999, 100_001)).containsExactly(0, null);
    deque.clearStolen();
    assertThat(deque.slots.length).isLessThan(100);
    deque.push(7);
    assertThat(deque.stealInto(new WorkDeque<>())).isEqualTo(7);
  }

  /// One owner pushes, pops and takes the oldest, several thieves steal: each item is taken once.
  private static void fight(long seed, int items, int length, int reach, Rival rival)
      throws Exception {
    WorkDeque<Integer> deque = new WorkDeque<>(length, Integer.MAX_VALUE - items / 2, reach);
    AtomicIntegerArray taken = new AtomicIntegerArray(items);
    AtomicBoolean over = new AtomicBoolean();
    CyclicBarrier together = new CyclicBarrier(RIVALS + 1);
    List<Thread> thieves = new ArrayList<>();
    for (int t = 0; t < RIVALS; t++) {
      thieves.add(
          Thread.ofPlatform()
              .start(() -> {
                WorkDeque<Integer> own = new WorkDeque<>(2, 0, WorkDeque.MAX_STEAL);
                await(together);
                while (!over.get() || deque.size() > 0) {
                  rival.steal(deque, own, taken);
                }
              }));
    }
    Random random = new Random(seed);
    await(together);
    for (int next = 0; next < items; ) {
      for (int burst = 1 + random.nextInt(6); burst > 0 && next < items; burst--) {
        deque.push(next++);
      }
      for (int pops = random.nextInt(6); pops > 0; pops--) {
        count(taken, random.nextInt(3) == 0 ? deque.pollOldest() : deque.pop());
      }
    }
    for (Integer item; (item = deque.pop()) != null; ) {
      count(taken, item);
    }
    over.set(true);
    for (Thread thief : thieves) {
      thief.join();
    }
    BitSet wrong = new BitSet();
    for (int i = 0; i < items; i++) {
      wrong.set(i, taken.get(i) != 1);
    }
    assertThat(wrong).as("items not taken exactly once, seed %d", seed).isEqualTo(new BitSet());
  }

  private interface Rival {
    void steal(WorkDeque<Integer> from, WorkDeque<Integer> own, AtomicIntegerArray taken);
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void count(AtomicIntegerArray taken, @Nullable Integer item) {
    if (item != null) {
      taken.incrementAndGet(item);
    }
  }

  @Test
  @Tag("P5")
  @Tag("proc-7")
  @Tag("proc-8")
  @Tag("proc-203")
  void owner_popsWhileThievesTakeHalf_nothingIsLostOrTakenTwice() throws Exception {
    for (long seed = 0; seed < 40; seed++) {
      fight(
          seed,
          20_000,
          4,
          seed % 2 == 0 ? WorkDeque.MAX_STEAL : 2, // far from the thieves, and near them
          (from, own, taken) -> {
            count(taken, from.stealInto(own));
            for (Integer item; (item = own.pop()) != null; ) {
              count(taken, item);
            }
          });
    }
  }
}
