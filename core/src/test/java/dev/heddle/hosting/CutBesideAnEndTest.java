// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/// A wait of the JDK's that is cut while another coroutine is about to end it: it is cut, or it
/// ends, and never both.
@Tag("loop-320")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CutBesideAnEndTest {
  private record Wait(Action begin, Action end) {}

  private static Map<String, Wait> waits() {
    Map<String, Wait> waits = new LinkedHashMap<>();
    LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();
    waits.put("take", new Wait(queue::take, () -> queue.put("item")));
    ReentrantLock lock = new ReentrantLock();
    Condition condition = lock.newCondition();
    waits.put(
        "condition",
        new Wait(() -> locked(lock, condition::await), () -> locked(lock, condition::signal)));
    FutureTask<String> task = new FutureTask<>(() -> "done");
    waits.put("task", new Wait(task::get, task::run));
    CompletableFuture<String> future = new CompletableFuture<>();
    waits.put("future", new Wait(future::get, () -> future.complete("done")));
    SynchronousQueue<String> handover = new SynchronousQueue<>();
    waits.put("handover", new Wait(handover::take, () -> handover.offer("item")));
    CountDownLatch latch = new CountDownLatch(1);
    waits.put("latch", new Wait(latch::await, latch::countDown));
    Object monitor = new Object();
    waits.put("monitor", new Wait(() -> waitFor(monitor), () -> notifyOf(monitor)));
    return waits;
  }

  private static void locked(ReentrantLock lock, Action action) throws Exception {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("WaitNotInLoop") // there is one notification
  private static void waitFor(Object monitor) throws InterruptedException {
    synchronized (monitor) {
      monitor.wait();
    }
  }

  @SuppressWarnings("NakedNotify") // nothing is said by it
  private static void notifyOf(Object monitor) {
    synchronized (monitor) {
      monitor.notify();
    }
  }

  @TestFactory
  Stream<DynamicTest> wait_cutBeforeAnotherCoroutineEndsIt_throws() {
    return waits().entrySet().stream()
        .map(e -> DynamicTest.dynamicTest(e.getKey(), () -> cutThenEnd(e.getValue())));
  }

  private static void cutThenEnd(Wait wait) {
    Heddle.run(() -> {
      Coroutine<Boolean> waiter =
          Beside.spawn(
              () -> assertThatThrownBy(wait.begin::run).isInstanceOf(InterruptedException.class));
      Beside.until(waiter::isSuspended);
      Heddle.launch("ends it, as soon as it runs", wait.end);
      waiter.cancel("enough");
      assertThatThrownBy(waiter::await).hasMessage("enough");
    });
  }

  @Test
  void take_cutBeforeAnotherCoroutinePuts_leavesTheItem() {
    LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();
    cutThenEnd(new Wait(queue::take, () -> queue.put("item")));
    assertThat(queue).containsExactly("item");
  }

  @Test
  void waiterThatWasSignalled_andWaitsForItsLock_hasItsSignalAndIsCutBehindIt() throws Exception {
    ReentrantLock lock = new ReentrantLock();
    Condition condition = lock.newCondition();
    CountDownLatch signalled = new CountDownLatch(1);
    CountDownLatch mayUnlock = new CountDownLatch(1);
    List<String> log = new ArrayList<>();
    Heddle.run(() -> {
      Coroutine<Boolean> waiter =
          Beside.spawn(() -> {
            locked(lock, condition::await);
            log.add("has the signal");
            Heddle.delay(Duration.ofHours(1));
          });
      Beside.until(waiter::isSuspended);
      Thread.ofPlatform().start(() -> signalAndHold(lock, condition, signalled, mayUnlock::await));
      signalled.await();
      waiter.cancel("enough");
      Heddle.suspend();
      Heddle.suspend();
      mayUnlock.countDown();
      assertThatThrownBy(waiter::await).hasMessage("enough");
    });
    assertThat(log).containsExactly("has the signal");
  }

  private static void signalAndHold(
      ReentrantLock lock, Condition condition, CountDownLatch signalled, Action held) {
    try {
      locked(
          lock,
          () -> {
            condition.signal();
            signalled.countDown();
            held.run();
          });
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void limitOfABlock_thatCutsBesideAnEnd_leavesTheLimitAroundItItsDue() {
    Heddle.run(() -> {
      for (int i = 0; i < 300; i++) {
        CountDownLatch latch = new CountDownLatch(1);
        Thread.ofVirtual().start(latch::countDown);
        assertThatThrownBy(() ->
                Heddle.within(
                    Duration.ofNanos(1),
                    () -> {
                      Heddle.protect(() -> {
                        try {
                          Heddle.within(Duration.ofNanos(20_000), () -> latch.await());
                        } catch (DeadlineException _) {
                          // or it was in time
                        }
                      });
                      Heddle.delay(Duration.ofHours(1));
                    }))
            .isInstanceOf(DeadlineException.class);
      }
    });
  }
}
