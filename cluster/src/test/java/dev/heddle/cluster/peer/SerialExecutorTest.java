// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
final class SerialExecutorTest {
  private static final int TASKS = 10_000; // of each thread
  private static final int ROUNDS = 100_000;
  private static final int MOST_SPINS = 16; // so the two meet at different places

  private final Deque<Runnable> calls = new ArrayDeque<>();
  private final SerialExecutor serial = new SerialExecutor(calls::add);
  private final List<Integer> done = new ArrayList<>();

  private void runCalls() {
    while (!calls.isEmpty()) {
      assertThat(calls).hasSize(1);
      calls.remove().run();
    }
  }

  @Test
  void tasks_areCalledOneAtATime_inTheirOrder() {
    serial.execute(() -> done.add(1));
    serial.execute(() -> {
      done.add(2);
      serial.execute(() -> done.add(4));
    });
    serial.execute(() -> done.add(3));
    runCalls();
    assertThat(done).containsExactly(1, 2, 3, 4);
  }

  @Test
  void taskThatThrows_isFollowedByTheNext() {
    serial.execute(() -> {
      throw new IllegalStateException("boom");
    });
    serial.execute(() -> done.add(1));
    assertThatThrownBy(calls.remove()::run).hasMessage("boom");
    runCalls();
    assertThat(done).containsExactly(1);
  }

  @Test
  void taskThatFoundNoThread_runsWithTheNext() {
    boolean[] isRefusing = {true};
    SerialExecutor refused =
        new SerialExecutor(call -> {
          if (isRefusing[0]) {
            throw new RejectedExecutionException("no thread");
          }
          calls.add(call);
        });
    assertThatThrownBy(() -> refused.execute(() -> done.add(1))).hasMessage("no thread");
    isRefusing[0] = false;
    refused.execute(() -> done.add(2));
    runCalls();
    assertThat(done).containsExactly(1, 2);
  }

  @Test
  void taskThatIsAddedWhileAnotherOneEnds_isCalled() throws Exception {
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      for (int round = 0; round < ROUNDS; round++) {
        Queue<Runnable> called = new ConcurrentLinkedQueue<>();
        SerialExecutor each = new SerialExecutor(called::add);
        AtomicInteger ran = new AtomicInteger();
        each.execute(ran::incrementAndGet);
        Runnable first = called.remove();
        AtomicInteger missing = new AtomicInteger(2);
        Future<?> ends =
            threads.submit(() -> {
              meet(missing);
              first.run();
            });
        meet(missing);
        for (int spins = round % MOST_SPINS; spins > 0; spins--) {
          Thread.onSpinWait();
        }
        each.execute(ran::incrementAndGet);
        ends.get();
        assertThat(called).hasSize(1);
        called.remove().run();
        assertThat(ran).hasValue(2);
      }
    }
  }

  /// Returns in both threads within some nanoseconds, where there are two processors.
  private static void meet(AtomicInteger missing) {
    missing.decrementAndGet();
    for (int spins = 1; missing.get() > 0; spins++) {
      if (spins % 1_000 == 0) {
        Thread.yield();
      } else {
        Thread.onSpinWait();
      }
    }
  }

  /// A task that stays would let this run out of time; two at a time would miss counts.
  @Test
  void tasksOfManyThreads_allRun_oneAtATime() throws InterruptedException {
    int threads = 4;
    SerialExecutor shared = new SerialExecutor(call -> Thread.ofVirtual().start(call));
    int[] plain = {0};
    AtomicInteger overlaps = new AtomicInteger();
    AtomicInteger running = new AtomicInteger();
    CountDownLatch left = new CountDownLatch(threads * TASKS);
    for (int i = 0; i < threads; i++) {
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            for (int task = 0; task < TASKS; task++) {
              shared.execute(() -> {
                overlaps.addAndGet(running.getAndIncrement());
                plain[0]++;
                running.getAndDecrement();
                left.countDown();
              });
            }
          });
    }
    left.await();
    assertThat(overlaps).hasValue(0);
    assertThat(plain[0]).isEqualTo(threads * TASKS);
  }
}
