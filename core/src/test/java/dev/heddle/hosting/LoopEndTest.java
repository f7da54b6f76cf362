// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.LoopEndedException;
import dev.heddle.coroutine.OutputCapture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Wake-ups for coroutines whose loop is over.
@Tag("T18")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopEndTest {
  private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();
  private final Logger log = Logger.getLogger("dev.heddle");
  private final List<String> reports = new CopyOnWriteArrayList<>();
  private final Handler record = new Recorder();

  /// Keeps what would be printed hundreds of times.
  private final class Recorder extends Handler {
    @Override
    public void publish(LogRecord report) {
      if (!report.getMessage().contains(" has held the loop '")) { // as on a machine that is slow
        reports.add(report.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @BeforeEach
  void listen() {
    log.addHandler(record);
    log.setUseParentHandlers(false);
  }

  @AfterEach
  void unlisten() {
    log.removeHandler(record);
    log.setUseParentHandlers(true);
  }

  /// Runs a loop that ends while `waiting` waits in it, whatever interrupts it.
  private static void abandon(Action waiting) {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              var abandoned = Beside.spawn(waiting);
              Beside.until(abandoned::isSuspended);
              Heddle.shutdown(Duration.ZERO);
              abandoned.await();
            }))
        .isInstanceOf(Cancellation.class);
  }

  private String takeStubbornly() {
    while (true) {
      try {
        return queue.take();
      } catch (InterruptedException e) {
        // the point of it: this wait outlives its loop
      }
    }
  }

  @Test
  void queuePut_forACoroutineAbandonedInTake_letsItRunOnAndRefusesHeddleCalls() throws Exception {
    CompletableFuture<String> item = new CompletableFuture<>();
    CompletableFuture<Throwable> refusal = new CompletableFuture<>();
    abandon(() -> {
      item.complete(takeStubbornly());
      try {
        Heddle.yieldNow();
      } catch (RuntimeException e) {
        refusal.complete(e);
      }
    });
    assertThatCode(() -> queue.put("late")).doesNotThrowAnyException();
    assertThat(item.get()).isEqualTo("late");
    assertThat(refusal.get())
        .isInstanceOf(LoopEndedException.class)
        .hasMessageContaining("outlived its loop");
  }

  @Test
  void everyHeddleCall_inAnAbandonedCoroutine_throwsLoopEnded() throws Exception {
    CompletableFuture<List<Class<?>>> thrown = new CompletableFuture<>();
    List<Action> calls =
        List.of(
            Heddle::yieldNow,
            () -> Heddle.delay(Duration.ofMillis(1)),
            () -> Heddle.spawn(() -> 1),
            () -> Heddle.launch("late", () -> {}),
            () -> Heddle.background("late", () -> {}),
            () -> Heddle.scope(s -> 1),
            () -> Heddle.supervise(s -> 1),
            () -> Heddle.withTimeout(Duration.ofHours(1), () -> 1),
            () -> Heddle.shield(() -> 1),
            () -> Heddle.offload(() -> 1),
            () -> Heddle.await(new CompletableFuture<String>()),
            Heddle::checkCancelled,
            Heddle::current,
            Heddle::counters,
            () -> Heddle.daemonTimer(Duration.ofHours(1)),
            () -> Heddle.onShutdown(() -> {}),
            Loop::current,
            OutputCapture::open,
            () -> Heddle.shutdown(Duration.ZERO),
            () -> Heddle.exit(3));
    abandon(() -> {
      takeStubbornly();
      thrown.complete(thrownBy(calls));
    });
    queue.put("late");
    assertThat(thrown.get()).hasSize(calls.size()).containsOnly(LoopEndedException.class);
  }

  private static List<Class<?>> thrownBy(List<Action> calls) {
    List<Class<?>> classes = new ArrayList<>();
    for (Action call : calls) {
      try {
        call.run();
        classes.add(Void.class);
      } catch (Throwable e) {
        classes.add(e.getClass());
      }
    }
    return classes;
  }

  @Test
  void abandonedCoroutine_isNamedInTheReport() {
    abandon(this::takeStubbornly);
    queue.add("late");
    assertThat(reports)
        .singleElement(InstanceOfAssertFactories.STRING)
        .contains("1 coroutine did not end by the shutdown deadline")
        .contains("coroutine-2 is parked by the JDK in LinkedBlockingQueue.take")
        .contains("at " + LoopEndTest.class.getName() + ".takeStubbornly(");
  }

  @Test
  void unlock_forACoroutineAbandonedInLock_letsItRunOn() throws Exception {
    ReentrantLock lock = new ReentrantLock();
    CompletableFuture<Boolean> owned = new CompletableFuture<>();
    lock.lock();
    abandon(() -> {
      lock.lock();
      owned.complete(lock.isHeldByCurrentThread());
      lock.unlock();
    });
    lock.unlock();
    assertThat(owned.get()).isTrue();
    assertThat(lock.tryLock(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void monitorExit_forACoroutineAbandonedAtItsEntry_letsItRunOn() throws Exception {
    Object monitor = new Object();
    CompletableFuture<Boolean> entered = new CompletableFuture<>();
    synchronized (monitor) {
      abandon(() -> {
        synchronized (monitor) {
          entered.complete(Thread.holdsLock(monitor));
        }
      });
    }
    assertThat(entered.get()).isTrue();
  }

  @Test
  void unpark_ofAThreadWhoseCoroutineAndLoopHaveEnded_harmsNothing() throws Exception {
    Thread thread = Heddle.run(() -> Heddle.spawn(Thread::currentThread).await());
    assertThatCode(() -> LockSupport.unpark(thread)).doesNotThrowAnyException();
    thread.interrupt();
    thread.join();
    assertThat(Heddle.<Integer>run(() -> Heddle.spawn(() -> 5).await())).isEqualTo(5);
  }

  @Test
  void future_completedAfterTheLoopThatAwaitedIt_harmsNothing() {
    CompletableFuture<String> future = new CompletableFuture<>();
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Heddle.shutdown(Duration.ZERO);
              Heddle.await(future);
            }))
        .isInstanceOf(Cancellation.class);
    assertThat(future.complete("late")).isTrue();
  }

  @Test
  void queuePut_racingWithTheEndOfTheLoop_isNeverLost() throws Exception {
    for (int i = 0; i < 100; i++) {
      CompletableFuture<String> item = new CompletableFuture<>();
      CompletableFuture<Boolean> stopping = new CompletableFuture<>();
      Thread feeder =
          Thread.ofPlatform()
              .start(() -> {
                stopping.join();
                queue.add("item");
              });
      endLoopWhileTaking(item, stopping);
      feeder.join();
      assertThat(item.get()).isEqualTo("item");
    }
  }

  private void endLoopWhileTaking(
      CompletableFuture<String> item, CompletableFuture<Boolean> stopping) {
    try {
      Heddle.run(() -> {
        var taker = Beside.spawn(() -> item.complete(takeStubbornly()));
        Beside.until(taker::isSuspended);
        Heddle.shutdown(Duration.ZERO);
        stopping.complete(true);
        taker.await();
      });
    } catch (Cancellation _) {
      // main was cancelled before the taker had its item
    }
  }
}
