// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.PoolClosedException;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("T17")
@Timeout(300)
class ThreadPoolTest {
  private static final List<Integer> TEN = IntStream.range(0, 10).boxed().toList();

  private final ConcurrentLinkedQueue<Object> log = new ConcurrentLinkedQueue<>();

  /// A task that runs until it is let go, or is interrupted.
  private final class Gate implements Callable<String> {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch open = new CountDownLatch(1);

    @Override
    public String call() throws InterruptedException {
      begun.countDown();
      try {
        open.await();
        return "through";
      } catch (InterruptedException e) {
        log.add("interrupted");
        throw e;
      }
    }

    /// Waits until it runs; only this coroutine does.
    void awaitBegun() throws InterruptedException {
      begun.await();
    }

    void letGo() {
      open.countDown();
    }
  }

  // ---- tasks ----

  @Test
  void task_runsOnAThreadOfThePoolWhileTheLoopGoesOn() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool("crunch", 2, 2)) {
        Gate gate = new Gate();
        Future<String> future = pool.submit(gate);
        gate.awaitBegun();
        gate.letGo();
        assertThat(future.await()).isEqualTo("through");
        assertThat(pool.run(() -> Thread.currentThread().getName())).startsWith("crunch-");
        assertThat(pool.run(() -> Thread.currentThread().isVirtual())).isFalse();
      }
    });
  }

  @Test
  void task_thatCallsHeddle_isToldWhereItIs() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(1)) {
        assertThatThrownBy(() -> pool.run(Heddle::current))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("not inside a coroutine");
      }
    });
  }

  @Test
  @Tag("loop-265")
  void task_thatThrows_failsItsFutureAndLeavesTheThreadServing() {
    IllegalArgumentException unchecked = new IllegalArgumentException("unchecked");
    IOException checked = new IOException("checked");
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(1)) {
        Thread thread = pool.run(Thread::currentThread);
        assertThatThrownBy(() -> pool.run(() -> fail(unchecked))).isSameAs(unchecked);
        assertThatThrownBy(pool.submit(() -> fail(checked))::await)
            .isInstanceOf(CoroutineException.class)
            .hasCause(checked);
        assertThat(pool.run(Thread::currentThread)).isSameAs(thread);
      }
    });
  }

  private static Object fail(Exception with) throws Exception {
    throw with;
  }

  // ---- map ----

  @Test
  @Tag("loop-266")
  void map_ofAList_keepsTheOrder() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(3)) {
        assertThat(pool.map(TEN, item -> item * item))
            .containsExactly(0, 1, 4, 9, 16, 25, 36, 49, 64, 81);
        assertThat(pool.map(List.<Integer>of(), item -> item)).isEmpty();
      }
    });
  }

  @Test
  @Tag("loop-266")
  void map_ofAMap_keepsKeysAndOrder() {
    Map<String, Integer> lengths = new LinkedHashMap<>();
    lengths.put("z", 1);
    lengths.put("a", 2);
    lengths.put("m", 3);
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(2)) {
        Map<String, Integer> doubled = pool.map(lengths, length -> 2 * length);
        assertThat(doubled)
            .containsExactly(Map.entry("z", 2), Map.entry("a", 4), Map.entry("m", 6));
      }
    });
  }

  @Test
  @Tag("loop-266")
  void map_ofValuesThatMayBeNull_passesThemOn() {
    Map<String, @Nullable Integer> values = new LinkedHashMap<>();
    values.put("none", null);
    values.put("one", 1);
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(2)) {
        assertThat(pool.map(values, value -> value)).isEqualTo(values);
      }
    });
  }

  @Test
  @Tag("loop-266")
  void map_whenAnItemFails_throwsThatAtOnceAndCancelsTheRest() {
    IllegalStateException failure = new IllegalStateException("item 1");
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(2)) {
        Gate gate = new Gate();
        assertThatThrownBy(() ->
                pool.map(
                    TEN,
                    item -> {
                      log.add(item);
                      if (item == 1) {
                        gate.awaitBegun();
                        throw failure;
                      }
                      return gate.call();
                    }))
            .isSameAs(failure);
      }
    });
    assertThat(log).contains(0, 1, "interrupted").doesNotContain(9);
  }

  @Test
  @Tag("loop-266")
  void map_onAClosedPool_isRefused() {
    Heddle.run(() -> {
      ThreadPool pool = new ThreadPool("crunch", 1, 1);
      pool.close();
      assertThatThrownBy(() -> pool.map(TEN, item -> item))
          .isInstanceOf(PoolClosedException.class)
          .hasMessageContaining("'crunch' is closed");
      assertThatThrownBy(() -> pool.submit(() -> 1)).hasMessageContaining("is closed");
    });
  }

  @Test
  void map_whoseCallerIsCancelled_cancelsTheTasks() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(1)) {
        Gate gate = new Gate();
        var mapping = Heddle.spawn(() -> pool.map(TEN, item -> gate.call()));
        Heddle.yieldNow();
        gate.awaitBegun();
        mapping.cancel("stop");
        assertThatThrownBy(mapping::await).hasMessage("stop");
      }
    });
    assertThat(log).containsExactly("interrupted");
  }

  // ---- a full queue ----

  @Test
  @Tag("loop-269")
  void submit_toAFullQueue_suspendsTheSubmitterOnly() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool("crunch", 1, 1)) {
        Gate gate = new Gate();
        pool.submit(gate);
        pool.submit(() -> log.add("queued"));
        List<Coroutine<Future<Boolean>>> submitters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          String name = "submitter " + i;
          submitters.add(Heddle.spawn(name, () -> pool.submit(() -> log.add(name))));
        }
        Heddle.yieldNow();
        Heddle.yieldNow();
        assertThat(submitters).noneMatch(Coroutine::isDone);
        assertThat(pool.info()).contains("1 of 1 threads, 2 tasks, 3 waiting to submit");
        gate.letGo();
        submitters.forEach(submitter -> submitter.await().await());
      }
    });
    assertThat(log).containsExactly("queued", "submitter 0", "submitter 1", "submitter 2");
  }

  @Test
  @Tag("loop-269")
  void submit_toAFullQueue_canBeBounded() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool("crunch", 1, 0)) {
        Gate gate = new Gate();
        var running = pool.submit(gate);
        Deadline soon = Deadline.after(Duration.ofMillis(1));
        assertThatThrownBy(() -> pool.submit(gate, soon)).isInstanceOf(DeadlineException.class);
        assertThatThrownBy(() -> pool.submit(gate, Heddle.timer(Duration.ofMillis(1))))
            .isInstanceOf(WaitCancelledException.class);
        gate.letGo();
        assertThat(running.await()).isEqualTo("through");
        assertThat(pool.submit(() -> 1, soon).await()).isEqualTo(1);
        assertThat(pool.info()).contains("0 waiting");
      }
    });
  }

  @Test
  @Tag("loop-269")
  @Tag("trap-1")
  void submitter_givenAPlaceAndCancelledBeforeItRuns_handsItOn() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool("crunch", 1, 0)) {
        Gate gate = new Gate();
        var running = pool.submit(gate);
        var first = Heddle.spawn(() -> pool.submit(() -> log.add("first")));
        var second = Heddle.spawn(() -> pool.submit(() -> log.add("second")));
        Heddle.yieldNow();
        // queued behind the end of the task: runs between the hand-over and the first's run
        gate.letGo();
        running.await();
        first.cancel("leave");
        second.await().await();
      }
    });
    assertThat(log).endsWith("second");
  }

  @Test
  void submit_thatWaitsWhileThePoolIsClosed_isRefused() {
    Heddle.run(() -> {
      ThreadPool pool = new ThreadPool("crunch", 1, 0);
      Gate gate = new Gate();
      pool.submit(gate);
      var late =
          Heddle.spawn(() -> {
            assertThatThrownBy(() -> pool.submit(() -> 1)).hasMessageContaining("is closed");
            return 1;
          });
      Heddle.yieldNow();
      gate.letGo();
      pool.close();
      assertThat(late.await()).isEqualTo(1);
    });
  }

  // ---- cancelling ----

  @Test
  @Tag("loop-268")
  void cancel_ofThePool_letsWhatRunsFinishAndRejectsWhatIsQueued() {
    Heddle.run(() -> {
      ThreadPool pool = new ThreadPool("crunch", 1, 1);
      Gate gate = new Gate();
      var running = pool.submit(gate);
      gate.awaitBegun();
      var queued = pool.submit(() -> log.add("queued"));
      pool.cancel();
      assertThatThrownBy(queued::await)
          .isInstanceOf(Cancellation.class)
          .hasMessageContaining("'crunch' was cancelled");
      assertThat(queued.isCancelled()).isTrue();
      gate.letGo();
      assertThat(running.await()).isEqualTo("through");
      pool.close();
    });
    assertThat(log).isEmpty();
  }

  @Test
  @Tag("loop-272")
  void cancel_ofAFutureWhoseTaskRuns_reachesTheThread() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(1)) {
        Gate gate = new Gate();
        var running = pool.submit(gate);
        gate.awaitBegun();
        running.cancel("enough");
        assertThatThrownBy(running::await).hasMessage("enough");
        // its thread is free again, and not interrupted
        assertThat(pool.run(() -> Thread.currentThread().isInterrupted())).isFalse();
      }
    });
    assertThat(log).containsExactly("interrupted");
  }

  @Test
  @Tag("loop-272")
  void cancel_ofAFutureWhoseTaskIsQueued_keepsItFromRunning() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool("crunch", 1, 1)) {
        Gate gate = new Gate();
        pool.submit(gate);
        var queued = pool.submit(() -> log.add("queued"));
        queued.cancel("enough");
        // its place in the queue is free at once
        var next = pool.submit(() -> log.add("next"));
        gate.letGo();
        next.await();
        assertThatThrownBy(queued::await).hasMessage("enough");
      }
    });
    assertThat(log).containsExactly("next");
  }

  @Test
  @Tag("loop-272")
  void cancel_ofAFutureWhoseTaskIsDone_changesNothing() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(1)) {
        var future = pool.submit(() -> "result");
        assertThat(future.await()).isEqualTo("result");
        future.cancel("too late");
        assertThat(future.await()).isEqualTo("result");
        assertThat(future.isCancelled()).isFalse();
      }
    });
  }

  @Test
  @Tag("loop-272")
  void task_thatIsCancelled_letsGoOfWhatItHas() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool("crunch", 1, 1)) {
        Gate gate = new Gate();
        pool.submit(gate);
        WeakReference<Object> captured = cancelledWithCapture(pool);
        while (captured.get() != null) {
          System.gc();
        }
        gate.letGo();
      }
    });
  }

  private static WeakReference<Object> cancelledWithCapture(ThreadPool pool) {
    Object captured = new Object();
    var queued = pool.submit(captured::hashCode);
    queued.cancel("enough");
    Heddle.yieldNow();
    return new WeakReference<>(captured);
  }

  @Test
  @Tag("loop-273")
  void task_whoseAwaiterDiesWithItsScope_isCancelled() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(2)) {
        for (Callable<Coroutine<?>> awaiting : awaiters(pool)) {
          Coroutine<?> awaiter = awaiting.call();
          assertThatThrownBy(awaiter::await).isInstanceOf(Cancellation.class);
        }
        // both threads are free again
        assertThat(pool.map(List.of(1, 2), item -> item)).containsExactly(1, 2);
      }
    });
    assertThat(log).containsExactly("interrupted", "interrupted");
  }

  private List<Callable<Coroutine<?>>> awaiters(ThreadPool pool) {
    return List.of(
        () -> cancelledInItsScope(gate -> pool.run(gate)),
        () -> cancelledInItsScope(gate -> pool.submit(gate).await()));
  }

  private interface Waiting {
    String on(Gate gate);
  }

  private Coroutine<?> cancelledInItsScope(Waiting waiting) {
    Gate gate = new Gate();
    return Heddle.scope(s -> {
      Coroutine<?> awaiter = s.spawn(() -> waiting.on(gate));
      Heddle.yieldNow();
      gate.awaitBegun();
      awaiter.cancel("its scope is cancelled");
      return awaiter;
    });
  }

  @Test
  @Tag("loop-273")
  void task_thatAnotherAwaits_goesOnWhenOneAwaiterIsCancelled() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(1)) {
        Gate gate = new Gate();
        var future = pool.submit(gate);
        var leaving = Heddle.spawn(() -> future.await());
        var staying = Heddle.spawn(() -> future.await());
        Heddle.yieldNow();
        leaving.cancel("stop");
        assertThatThrownBy(leaving::await).hasMessage("stop");
        gate.letGo();
        assertThat(staying.await()).isEqualTo("through");
      }
    });
    assertThat(log).isEmpty();
  }

  @Test
  void task_whoseAwaiterOnlyStopsWaiting_goesOn() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(1)) {
        Gate gate = new Gate();
        var future = pool.submit(gate);
        assertThatThrownBy(() -> future.await(Deadline.after(Duration.ofNanos(1))))
            .isInstanceOf(DeadlineException.class);
        gate.letGo();
        assertThat(future.await()).isEqualTo("through");
      }
    });
  }

  @Test
  @Tag("loop-273")
  void task_thatIsNotAwaited_outlivesItsSubmitter() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(1)) {
        Gate gate = new Gate();
        Heddle.spawn(() ->
                pool.submit(() -> {
                  gate.call();
                  return log.add("done");
                }))
            .await();
        gate.letGo();
      }
    });
    assertThat(log).containsExactly("done");
  }

  @Test
  void run_thatIsCancelledByWithin_cancelsItsTask() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(1)) {
        assertThatThrownBy(
                () -> Heddle.withTimeout(Duration.ofMillis(5), () -> pool.run(new Gate())))
            .isInstanceOf(DeadlineException.class);
        assertThat(pool.run(() -> 1)).isEqualTo(1);
      }
    });
  }

  // ---- the end ----

  @Test
  @Tag("loop-277")
  void workers_areThoseThatLiveAndNoneAfterTheEnd() {
    Heddle.run(() -> {
      ThreadPool pool = new ThreadPool("crunch", 3, 3);
      assertThat(pool.workers()).isZero();
      AtomicInteger running = new AtomicInteger();
      pool.map(List.of(1, 2, 3), item -> meet(running));
      assertThat(pool.workers()).isEqualTo(3);
      pool.close();
      assertThat(pool.workers()).isZero();
      assertThat(pool.isClosed()).isTrue();
      pool.close();
    });
  }

  private static int meet(AtomicInteger running) {
    running.incrementAndGet();
    while (running.get() < 3) {
      Thread.onSpinWait();
    }
    return 1;
  }

  @Test
  void close_awaitsWhatWasSubmitted() {
    Heddle.run(() -> {
      List<Future<Integer>> futures = new ArrayList<>();
      try (ThreadPool pool = new ThreadPool("crunch", 2, 10)) {
        TEN.forEach(item -> futures.add(pool.submit(() -> item)));
      }
      assertThat(futures).extracting(Future::result).isEqualTo(TEN);
    });
  }

  @Test
  void close_thatIsCancelled_cancelsTheTasks() {
    Heddle.run(() -> {
      ThreadPool pool = new ThreadPool("crunch", 1, 1);
      Gate gate = new Gate();
      var running = pool.submit(gate);
      var queued = pool.submit(() -> log.add("queued"));
      gate.awaitBegun();
      var closing =
          Heddle.spawn(() -> {
            pool.close();
            return 1;
          });
      Heddle.yieldNow();
      closing.cancel("stop");
      assertThatThrownBy(closing::await).hasMessage("stop");
      assertThatThrownBy(running::await).isInstanceOf(Cancellation.class);
      assertThatThrownBy(queued::await).isInstanceOf(Cancellation.class);
      pool.close();
    });
    assertThat(log).containsExactly("interrupted");
  }

  @Test
  void pool_ofALoopThatEnds_endsWithIt() throws InterruptedException {
    CountDownLatch interrupted = new CountDownLatch(1);
    Heddle.run(() -> {
      ThreadPool pool = new ThreadPool(1);
      CountDownLatch begun = new CountDownLatch(1);
      pool.submit(() -> {
        begun.countDown();
        try {
          new CountDownLatch(1).await();
        } finally {
          interrupted.countDown();
        }
        return 1;
      });
      begun.await();
    });
    interrupted.await();
    assertThat(interrupted.getCount()).isZero();
  }

  @Test
  void use_onAnotherLoop_isRefused() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(1)) {
        Loop<?> other =
            Loop.start(() -> {
              assertThatThrownBy(() -> pool.submit(() -> 1))
                  .hasMessageContaining("belongs to another loop");
              return 1;
            });
        assertThat(other.join()).isEqualTo(1);
      }
    });
  }

  @Test
  void sizes_thatMakeNoSense_areRefused() {
    Heddle.run(() -> {
      assertThatThrownBy(() -> new ThreadPool(0)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> new ThreadPool("crunch", 1, -1))
          .isInstanceOf(IllegalArgumentException.class);
    });
  }
}
