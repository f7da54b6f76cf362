// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A wait of the JDK's that is cut while another coroutine is about to end it: it is cut, or it
/// ends, and never both.
@Tag("loop-320")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CutBesideAnEndTest {
  private static final int ITEMS = 2_000;
  private static final Duration SHORT = Duration.ofMillis(1);

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
  void waiterThatWasSignalled_andWaitsForItsLock_hasItsSignalAndIsCancelledBehindIt()
      throws Exception {
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
      Heddle.yieldNow();
      Heddle.yieldNow();
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

  /// A lock whose holder, as it unlocks, stands still behind the moment in which others can take it
  /// and before it wakes one of them.
  private static final class SlowToWake extends AbstractQueuedSynchronizer {
    private static final long serialVersionUID = 1; // never written

    final transient CountDownLatch isFree = new CountDownLatch(1);
    final transient CountDownLatch mayWake = new CountDownLatch(1);
    private transient boolean slow;

    @Override
    protected boolean tryAcquire(int one) {
      boolean taken = compareAndSetState(0, 1);
      if (taken) {
        setExclusiveOwnerThread(Thread.currentThread());
      }
      return taken;
    }

    @Override
    protected boolean tryRelease(int one) {
      setExclusiveOwnerThread(null);
      setState(0);
      if (slow) {
        slow = false;
        isFree.countDown();
        awaitUninterruptibly(mayWake);
      }
      return true;
    }

    @Override
    protected boolean isHeldExclusively() {
      return getExclusiveOwnerThread() == Thread.currentThread();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    void signalAndStandStill(Condition condition) {
      acquire(1);
      condition.signal();
      slow = true;
      release(1);
    }
  }

  @SuppressWarnings("WaitNotInLoop") // it is signalled once
  private static String takeAnItem(SlowToWake lock, Condition handedOver) throws Exception {
    lock.acquire(1);
    try {
      handedOver.await();
      return "item";
    } finally {
      lock.release(1);
    }
  }

  private interface Around {
    String take(Body<String> take) throws Exception;
  }

  /// What a block got whose limit ran out as another thread handed it an item: the wait has been
  /// signalled, and is interrupted before the signal lets it go on.
  private static List<String> gotAtTheLimit(Around around, Action behindTheCut) throws Exception {
    SlowToWake lock = new SlowToWake();
    Condition handedOver = lock.new ConditionObject();
    Thread producer = new Thread(() -> lock.signalAndStandStill(handedOver));
    List<String> got = new ArrayList<>();
    Heddle.run(() -> {
      var limit = Heddle.<Integer>promise("limit");
      Coroutine<Boolean> consumer =
          Beside.spawn(() ->
              got.add(
                  Heddle.<String>cancelWhen(
                      limit.future(), () -> around.take(() -> takeAnItem(lock, handedOver)))));
      Beside.until(consumer::isSuspended);
      producer.start();
      lock.isFree.await();
      limit.complete(1);
      behindTheCut.run();
      try {
        consumer.await();
      } finally {
        lock.mayWake.countDown();
      }
    });
    return got;
  }

  @Test
  @Tag("loop-321")
  void item_handedOverByAnotherThreadAsTheLimitRunsOut_isReturned() throws Exception {
    List<String> got =
        gotAtTheLimit(
            take -> {
              var around = Heddle.<Integer>promise("a limit that never runs out");
              return Heddle.cancelWhen(around.future(), take);
            },
            () -> {});
    assertThat(got).containsExactly("item");
  }

  @Test
  @Tag("loop-321")
  void item_handedOverAsTheLimitRunsOut_isReturnedThoughAScopeEndsBehindIt() throws Exception {
    List<String> got =
        gotAtTheLimit(
            take ->
                Heddle.scope(s -> {
                  s.background("has to be awaited", () -> Heddle.delay(Duration.ofHours(1)));
                  return take.run();
                }),
            () -> {});
    assertThat(got).containsExactly("item");
  }

  @Test
  @Tag("loop-321")
  void item_handedOverAsTheLimitRunsOut_isReturnedThoughTheBodyWaitsForALockBehindIt()
      throws Exception {
    ReentrantLock next = new ReentrantLock();
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch mayUnlock = new CountDownLatch(1);
    new Thread(() -> hold(next, held, mayUnlock)).start();
    held.await();
    List<String> got =
        gotAtTheLimit(
            take -> {
              String item = take.run();
              locked(next, () -> {});
              return item;
            },
            () -> {
              Beside.until(next::hasQueuedThreads);
              Heddle.yieldNow();
              mayUnlock.countDown();
            });
    assertThat(got).containsExactly("item");
  }

  private static void hold(ReentrantLock lock, CountDownLatch held, CountDownLatch until) {
    try {
      locked(
          lock,
          () -> {
            held.countDown();
            until.await();
          });
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void cut_whoseWaiterHasToTakeItsLockAgain_isDeliveredOnce_thoughTheFlagIsRestored()
      throws Exception {
    ReentrantLock lock = new ReentrantLock();
    Condition never = lock.newCondition();
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch mayUnlock = new CountDownLatch(1);
    Thread holder = new Thread(() -> hold(lock, held, mayUnlock));
    List<String> log = new ArrayList<>();
    Heddle.run(() -> {
      Coroutine<Boolean> waiter =
          Beside.spawn(() -> {
            try {
              locked(lock, never::await);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            Heddle.delay(SHORT);
            log.add("cleaned up");
          });
      Beside.until(waiter::isSuspended);
      holder.start();
      held.await();
      waiter.cancel("enough");
      Beside.until(lock::hasQueuedThreads);
      Heddle.yieldNow();
      mayUnlock.countDown();
      assertThatThrownBy(waiter::await).hasMessage("enough");
    });
    assertThat(log).containsExactly("cleaned up");
  }

  @Test
  @Tag("loop-321")
  void innerBlock_thatIsCancelledWithTheOneAroundIt_throwsThoughItsBodySwallowedTheCut() {
    LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();
    List<String> log = new ArrayList<>();
    Heddle.run(() -> {
      Deadline both = Deadline.after(SHORT);
      assertThatThrownBy(() ->
              Heddle.withDeadline(
                  both,
                  () -> {
                    Heddle.withDeadline(both, () -> takeOrNothing(queue));
                    log.add("went on");
                  }))
          .isInstanceOf(DeadlineException.class);
    });
    assertThat(log).isEmpty();
  }

  private static @Nullable String takeOrNothing(LinkedBlockingQueue<String> queue) {
    try {
      return queue.take();
    } catch (InterruptedException _) {
      return null;
    }
  }

  @Test
  @Tag("loop-321")
  void bodyThatRestoresTheFlagAndReturnsNothing_isNotTakenForOneThatGotSomething() {
    LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();
    Heddle.run(() -> {
      assertThatThrownBy(() -> Heddle.withTimeout(SHORT, () -> takeOrRestore(queue)))
          .isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> Heddle.withTimeout(SHORT, CutBesideAnEndTest::sleepOrRestore))
          .isInstanceOf(DeadlineException.class);
    });
  }

  private static @Nullable String takeOrRestore(LinkedBlockingQueue<String> queue) {
    try {
      return queue.take();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  private static String sleepOrRestore() {
    try {
      Thread.sleep(Duration.ofHours(1));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    return "a value, though nobody can have handed it over";
  }

  @Test
  void take_withinALimitThatOftenRunsOut_losesNoItemOfAnotherCoroutine() {
    LinkedBlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
    Random random = new Random(42);
    storm(
        new Items(queue::take, queue::isEmpty),
        Runnable::run,
        i -> {
          if (i % 4 == 0) {
            Heddle.delay(Duration.ofNanos(1 + random.nextInt(1_500_000)));
          }
          queue.put(i);
        });
  }

  @ParameterizedTest
  @ValueSource(
      classes = {LinkedBlockingQueue.class, SynchronousQueue.class, LinkedTransferQueue.class})
  void take_withinALimitThatOftenRunsOut_losesNoItemOfAnotherThread(
      Class<? extends BlockingQueue<Integer>> type) throws Exception {
    BlockingQueue<Integer> queue = type.getConstructor().newInstance();
    Random random = new Random(42);
    storm(
        new Items(queue::take, queue::isEmpty),
        producer -> Thread.ofPlatform().daemon().start(producer),
        i -> {
          LockSupport.parkNanos(random.nextInt(400_000));
          queue.put(i);
        });
  }

  /// A queue of a monitor's own: `Object.wait` is notified by another thread as it is cut.
  private static final class MonitorQueue {
    private final ArrayDeque<Integer> items = new ArrayDeque<>();

    synchronized void put(int item) {
      items.add(item);
      notify();
    }

    synchronized int take() throws InterruptedException {
      while (items.isEmpty()) {
        wait();
      }
      return items.remove();
    }

    synchronized boolean isEmpty() {
      return items.isEmpty();
    }
  }

  /// A wait that ends without its notification beside a contended monitor leaves the thread in a
  /// state in which its next wait holds the carrier.
  @Test
  void objectWait_withinALimitThatOftenRunsOut_losesNoItemOfAnotherThreadAndHoldsNoLoop() {
    MonitorQueue queue = new MonitorQueue();
    Random random = new Random(42);
    storm(
        new Items(queue::take, queue::isEmpty),
        producer -> Thread.ofPlatform().daemon().start(producer),
        i -> {
          LockSupport.parkNanos(random.nextInt(400_000));
          queue.put(i);
        });
  }

  private record Items(Callable<Integer> take, BooleanSupplier areGone) {}

  private interface Put {
    void item(int i) throws Exception;
  }

  /// Consumers with short limits, and somebody who looks at their stacks all the time: that keeps
  /// one that was let go on from going on at once.
  private static void storm(Items items, Executor producer, Put put) {
    int[] got = new int[8];
    int[] rounds = new int[got.length];
    List<Thread> consumers = new CopyOnWriteArrayList<>();
    Thread looks = Thread.ofPlatform().daemon().unstarted(() -> lookAtAll(consumers));
    FutureTask<Boolean> producing =
        new FutureTask<>(() -> {
          for (int i = 0; i < ITEMS; i++) {
            put.item(i);
          }
          return true;
        });
    Heddle.run(() ->
        Heddle.scope(s -> {
          for (int i = 0; i < got.length; i++) {
            int me = i;
            s.background(
                "consumer",
                () -> {
                  consumers.add(Thread.currentThread());
                  consume(items, () -> rounds[me]++, () -> got[me]++);
                });
          }
          looks.start();
          producer.execute(producing);
          Beside.until(() -> producing.isDone() && items.areGone().getAsBoolean());
          int[] before = rounds.clone(); // by the second one each has counted what it held
          Beside.until(
              () -> IntStream.range(0, got.length).allMatch(i -> rounds[i] >= before[i] + 2));
          looks.interrupt();
          return producing.get();
        }));
    assertThat(IntStream.of(got).sum()).isEqualTo(ITEMS);
  }

  private static void lookAtAll(List<Thread> threads) {
    while (!Thread.currentThread().isInterrupted()) {
      for (Thread thread : threads) {
        var _ = thread.getStackTrace();
      }
    }
  }

  @SuppressWarnings("InfiniteLoopStatement") // until it is cancelled
  private static void consume(Items items, Runnable round, Runnable got) {
    while (true) {
      round.run();
      try {
        var _ = Heddle.<Integer>withTimeout(Duration.ofNanos(700_000), items.take()::call);
        got.run();
      } catch (DeadlineException _) {
        // the point of it
      }
    }
  }

  @Test
  void limitOfABlock_thatCutsBesideAnEnd_leavesTheLimitAroundItItsDue() {
    Heddle.run(() -> {
      for (int i = 0; i < 300; i++) {
        CountDownLatch latch = new CountDownLatch(1);
        Thread.ofVirtual().start(latch::countDown);
        assertThatThrownBy(() ->
                Heddle.withTimeout(
                    Duration.ofNanos(1),
                    () -> {
                      Heddle.shield(() -> {
                        try {
                          Heddle.withTimeout(Duration.ofNanos(20_000), () -> latch.await());
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
