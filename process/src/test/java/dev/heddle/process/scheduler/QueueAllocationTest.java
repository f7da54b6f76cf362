// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What the queues of workers and tasks allocate once they are warm: nothing.
@Tag("proc-18")
class QueueAllocationTest {
  private static final int TIMES = 100_000;
  private static final int ROUNDS = 5;
  private static final com.sun.management.ThreadMXBean THREADS =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final class Item extends Node {}

  private final Probe[] tasks = new Probe[17];

  QueueAllocationTest() {
    for (int i = 0; i < tasks.length; i++) {
      tasks[i] = new Probe(i);
    }
  }

  private static void assertAllocatesNothing(IntConsumer once) {
    run(once);
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) { // the compiler may come in between
      long before = THREADS.getCurrentThreadAllocatedBytes();
      run(once);
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    // one byte in ten times: what is left belongs to the compiler's transitions
    assertThat(least).isLessThan(TIMES / 10);
  }

  private static void run(IntConsumer once) {
    for (int i = 0; i < TIMES; i++) {
      once.accept(i);
    }
  }

  @Test
  @Tag("P3")
  void deque_ofAWorker() {
    WorkDeque<Task> deque = new WorkDeque<>();
    assertAllocatesNothing(_ -> {
      for (Probe task : tasks) {
        deque.push(task);
      }
      for (int i = 0; i < tasks.length; i++) {
        deque.pop();
      }
    });
  }

  @Test
  @Tag("P3")
  void queueOfAllWorkers_andBatchesOfIt() {
    GlobalQueue queue = new GlobalQueue();
    WorkDeque<Task> own = new WorkDeque<>();
    assertAllocatesNothing(_ -> {
      for (Probe task : tasks) {
        queue.push(task);
      }
      queue.pollInto(own, 16);
      while (own.pop() != null) {}
    });
  }

  @Test
  @Tag("P9")
  void mailbox_butForItsNodes() {
    EventQueue queue = new EventQueue(16);
    Item ordinary = new Item();
    Item urgent = new Item();
    assertAllocatesNothing(_ -> {
      queue.push(ordinary);
      queue.pushUrgent(urgent);
      while (queue.take(1) != null) {}
    });
  }

  @Test
  @Tag("P9")
  @Tag("proc-231")
  void mailbox_ofOneThatWaitsForResults_butForItsNodes() {
    EventQueue queue = new EventQueue(16);
    Item answer = new Item();
    assertAllocatesNothing(_ -> {
      queue.pushResult(answer, true);
      queue.takeResults();
      queue.pushResult(answer, true);
      queue.take(1, true);
      queue.pushResult(answer, false);
      queue.takeResults();
    });
  }
}
