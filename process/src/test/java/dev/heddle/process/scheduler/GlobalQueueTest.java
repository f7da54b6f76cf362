// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The FIFO of all workers.
class GlobalQueueTest {
  private static GlobalQueue filled(int tasks) {
    GlobalQueue queue = new GlobalQueue();
    for (int i = 0; i < tasks; i++) {
      queue.push(new Probe(i));
    }
    return queue;
  }

  private static int number(@Nullable Task task) {
    return task instanceof Probe probe ? probe.number : -1;
  }

  @Test
  @Tag("P3")
  @Tag("proc-10")
  void poll_takesTheOldestFirst() {
    GlobalQueue queue = filled(5);
    for (int i = 0; i < 5; i++) {
      assertThat(number(queue.poll())).isEqualTo(i);
    }
    assertThat(queue.poll()).isNull();
  }

  @Test
  @Tag("P4")
  @Tag("proc-11")
  @Tag("proc-12")
  @Tag("proc-19")
  void pollInto_movesUpToSoMany_suchThatTheirOwnerPopsThemInOrder() {
    GlobalQueue queue = filled(10);
    WorkDeque<Task> own = new WorkDeque<>();
    assertThat(number(queue.pollInto(own, 3))).isEqualTo(0);
    assertThat(List.of(number(own.pop()), number(own.pop()), number(own.pop())))
        .containsExactly(1, 2, 3);
    assertThat(own.pop()).isNull();
    assertThat(number(queue.pollInto(own, 16))).isEqualTo(4);
    assertThat(own.size()).isEqualTo(5);
    assertThat(queue.isEmpty()).isTrue();
    assertThat(queue.pollInto(own, 16)).isNull();
  }

  @Test
  @Tag("proc-14")
  @Tag("proc-15")
  void pushAndPoll_inRounds_keepTheOrder() {
    GlobalQueue queue = new GlobalQueue();
    for (int round = 0; round < 100; round++) {
      assertThat(queue.isEmpty()).isTrue();
      for (int i = 0; i < 10; i++) {
        queue.push(new Probe(i));
        assertThat(queue.isEmpty()).isFalse();
      }
      assertThat(number(queue.poll())).isZero();
      queue.push(new Probe(10)); // behind those that were turned round already
      for (int i = 1; i <= 10; i++) {
        assertThat(number(queue.poll())).isEqualTo(i);
      }
    }
  }

  @Test
  @Tag("P6")
  void pollDue_takesWhatIsDue_andLeavesTheOthersWhereTheyAre() {
    GlobalQueue queue = filled(3);
    assertThat(queue.pollResumable()).isNull();
    assertThat(number(queue.poll())).isZero();
    for (int number : new int[] {3, 4, 5}) {
      Probe due = new Probe(number);
      due.due = true;
      queue.push(due);
      queue.push(new Probe(number + 10));
    }
    assertThat(number(queue.pollResumable())).isEqualTo(3);
    assertThat(number(queue.pollResumable())).isEqualTo(4);
    queue.push(new Probe(16));
    for (int number : new int[] {1, 2, 13, 14}) {
      assertThat(number(queue.poll())).isEqualTo(number);
    }
    assertThat(number(queue.pollResumable())).as("the head").isEqualTo(5);
    assertThat(queue.pollResumable()).isNull();
    assertThat(number(queue.poll())).isEqualTo(15);
    assertThat(number(queue.poll())).isEqualTo(16);
    assertThat(queue.isEmpty()).isTrue();
    assertThat(queue.pollResumable()).isNull();
  }

  @Test
  @Tag("proc-16")
  void producersAndConsumers_atOnce_takeEachTaskOnce() throws Exception {
    int each = 10_000;
    GlobalQueue queue = new GlobalQueue();
    AtomicIntegerArray taken = new AtomicIntegerArray(4 * each);
    CountDownLatch pushed = new CountDownLatch(4);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int first = t * each;
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < each; i++) {
                  queue.push(new Probe(first + i));
                }
                pushed.countDown();
              }));
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                while (pushed.getCount() > 0 || !queue.isEmpty()) {
                  count(queue.poll(), taken);
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    for (int i = 0; i < 4 * each; i++) {
      assertThat(taken.get(i)).isEqualTo(1);
    }
  }

  @Test
  @Tag("proc-16")
  void consumersOfAFullQueue_oneByOneAndInBatches_takeEachTaskOnce() throws Exception {
    int tasks = 100_000;
    for (int round = 0; round < 30; round++) {
      GlobalQueue queue = filled(tasks);
      AtomicIntegerArray taken = new AtomicIntegerArray(tasks);
      CountDownLatch ready = new CountDownLatch(2);
      Thread other = Thread.ofPlatform().start(() -> takeAll(queue, ready, taken));
      takeAll(queue, ready, taken);
      other.join();
      for (int i = 0; i < tasks; i++) {
        assertThat(taken.get(i)).isEqualTo(1);
      }
    }
  }

  private static void takeAll(GlobalQueue queue, CountDownLatch ready, AtomicIntegerArray taken) {
    WorkDeque<Task> own = new WorkDeque<>();
    ready.countDown();
    while (ready.getCount() > 0) {
      Thread.onSpinWait(); // both at once
    }
    while (!queue.isEmpty()) {
      count(queue.poll(), taken);
      count(queue.pollInto(own, 2), taken);
      for (Task task; (task = own.pop()) != null; ) {
        count(task, taken);
      }
    }
  }

  private static void count(@Nullable Task task, AtomicIntegerArray taken) {
    if (task != null) {
      taken.incrementAndGet(number(task));
    }
  }
}
