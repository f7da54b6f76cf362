// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
final class SerialExecutorTest {
  private static final int TASKS = 1_000; // of each thread

  private final Deque<Runnable> calls = new ArrayDeque<>();
  private final SerialExecutor serial = new SerialExecutor(calls::add);
  private final List<Integer> done = new ArrayList<>();

  @Test
  void tasks_areRunInTheirOrder_byOneThread() {
    serial.execute(() -> done.add(1));
    serial.execute(() -> {
      done.add(2);
      serial.execute(() -> done.add(4));
    });
    serial.execute(() -> done.add(3));
    assertThat(calls).hasSize(1);
    calls.remove().run();
    assertThat(done).containsExactly(1, 2, 3, 4);
    assertThat(calls).isEmpty();
  }

  @Test
  void taskThatThrows_isFollowedByTheNext_onAnotherThread() {
    serial.execute(() -> {
      throw new IllegalStateException("boom");
    });
    serial.execute(() -> done.add(1));
    assertThatThrownBy(calls.remove()::run).hasMessage("boom");
    calls.remove().run();
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
    calls.remove().run();
    assertThat(done).containsExactly(1, 2);
  }

  /// As by another thread, right after the last look.
  @Test
  void taskThatIsAddedWhileAThreadFindsNone_isRun() {
    SerialExecutor[] late = new SerialExecutor[1];
    late[0] =
        new SerialExecutor(
            calls::add,
            new ConcurrentLinkedQueue<>() {
              private static final long serialVersionUID = 1L;
              private boolean isAdded;

              @Override
              public boolean isEmpty() {
                boolean isEmpty = super.isEmpty();
                if (isEmpty && !isAdded) {
                  isAdded = true;
                  late[0].execute(() -> done.add(2));
                }
                return isEmpty;
              }
            });
    late[0].execute(() -> done.add(1));
    calls.remove().run();
    assertThat(calls).hasSize(1);
    calls.remove().run();
    assertThat(done).containsExactly(1, 2);
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
