// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Future;
import dev.heddle.loop.LoopRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Pools whose threads are replaced, and the actions that prepare their threads.
@Tag("T17")
@Tag("loop-276")
@Timeout(300)
class ThreadPoolReloadTest {
  private static final ThreadPoolOptions ONE =
      ThreadPoolOptions.defaults().withName("old").withWorkers(1).withCapacity(0);
  private static final List<ThreadPoolOptions> BOTH_MODES = List.of(ONE, ONE.withCoroutines(1));

  private final ConcurrentLinkedQueue<Object> log = new ConcurrentLinkedQueue<>();
  private final AtomicInteger prepared = new AtomicInteger();

  /// A task that runs until it is let go.
  private static final class Gate implements Callable<String> {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch open = new CountDownLatch(1);

    @Override
    public String call() throws InterruptedException {
      begun.countDown();
      open.await();
      return "through";
    }
  }

  private static String thread() {
    CoroutineNode<?> own = CoroutineNode.currentOrNull();
    return own == null
        ? Thread.currentThread().getName()
        : LoopRuntime.of(own).options().name(); // that of its thread
  }

  private static boolean isInCoroutine() {
    return CoroutineNode.currentOrNull() != null;
  }

  // ---- what runs where ----

  @Test
  void tasksInFlight_survive_andLaterOnesRunOnNewThreads_eachPreparedOnce() {
    for (ThreadPoolOptions options : BOTH_MODES) {
      Heddle.run(() -> inFlight(options.withInitializer(prepared::incrementAndGet)));
    }
  }

  private void inFlight(ThreadPoolOptions options) throws InterruptedException {
    prepared.set(0);
    try (ThreadPool pool = new ThreadPool(options)) {
      pool.reload(); // there is nothing to replace
      Gate gate = new Gate();
      Future<String> old = pool.submit(gate);
      gate.begun.await();
      assertThat(prepared).hasValue(1);
      pool.reload();
      pool.reload();
      pool.reload();
      assertThat(pool.run(prepared::get)).as("on a new thread").isEqualTo(2);
      assertThat(pool.run(prepared::get)).as("on the same one").isEqualTo(2);
      assertThat(old.isDone()).isFalse();
      assertThat(pool.workers()).isEqualTo(2);
      assertThat(pool.info()).contains("1 of 1 threads, 0 tasks").contains("1 tasks from before");
      gate.open.countDown();
      assertThat(old.await()).isEqualTo("through");
      pool.reload();
      assertThat(pool.run(prepared::get)).as("after another reload").isEqualTo(3);
    }
  }

  @Test
  void queuedTasks_runOnTheThreadsOfTheirSubmission() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(ONE.withCapacity(1))) {
        Gate gate = new Gate();
        pool.submit(gate);
        Future<String> queued = pool.submit(() -> Thread.currentThread().getName());
        pool.reload(ONE.withName("new"));
        assertThat(pool.run(() -> Thread.currentThread().getName())).startsWith("new-");
        gate.open.countDown();
        assertThat(queued.await()).startsWith("old-");
      }
    });
  }

  @Test
  void otherOptions_alsoAnotherMode_areThoseOfTheNewThreads() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(ONE)) {
        assertThat(pool.<Boolean>run(() -> isInCoroutine())).isFalse();
        pool.reload(ONE.withName("new").withCoroutines(2));
        assertThat(pool.<Boolean>run(() -> isInCoroutine())).isTrue();
        assertThat(pool.info()).startsWith("the pool 'new'");
        pool.reload(ONE);
        assertThat(pool.<Boolean>run(() -> isInCoroutine())).isFalse();
      }
    });
  }

  // ---- permits ----

  @Test
  void submittersThatWait_goToTheNewThreads_inTheirOrder() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(ONE)) {
        Gate gate = new Gate();
        pool.submit(gate);
        List<Coroutine<Boolean>> submitters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          int number = i;
          submitters.add(Heddle.spawn(() -> pool.submit(() -> log.add(number)).await()));
        }
        Heddle.yieldNow();
        assertThat(pool.info()).contains("3 waiting");
        pool.reload(ONE.withCapacity(1));
        for (Coroutine<Boolean> each : submitters) {
          each.await(); // although the old thread is still busy
        }
        assertThat(log).containsExactly(0, 1, 2);
        gate.open.countDown();
      }
    });
  }

  @Test
  void endOfAnOldTask_makesNoRoomForANewOne() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(ONE)) {
        Gate oldGate = new Gate();
        Future<String> old = pool.submit(oldGate);
        pool.reload();
        Gate newGate = new Gate();
        pool.submit(newGate);
        oldGate.open.countDown();
        old.await();
        var late = Heddle.spawn(() -> pool.submit(() -> 1).await());
        Heddle.yieldNow();
        assertThat(pool.info()).contains("1 of 1 threads, 1 tasks, 1 waiting");
        newGate.open.countDown();
        assertThat(late.await()).isEqualTo(1);
      }
    });
  }

  // ---- the end ----

  @Test
  void close_waitsForTheOldThreads_andLeavesNone() {
    Heddle.run(() -> {
      Gate gate = new Gate();
      ThreadPool pool = new ThreadPool(ONE);
      Future<String> old = pool.submit(gate);
      pool.reload();
      assertThat(pool.run(() -> 2)).isEqualTo(2);
      var closing =
          Heddle.spawn(() -> {
            pool.close();
            return true;
          });
      Heddle.yieldNow();
      assertThat(closing.isDone()).isFalse();
      gate.open.countDown();
      closing.await();
      assertThat(old.result()).isEqualTo("through");
      assertThat(pool.workers()).isZero();
      assertThatThrownBy(pool::reload).hasMessageContaining("is closed");
    });
  }

  @Test
  void cancel_alsoRejectsWhatIsQueuedForTheOldThreads() {
    Heddle.run(() -> {
      Gate gate = new Gate();
      ThreadPool pool = new ThreadPool(ONE.withCapacity(1));
      Future<String> running = pool.submit(gate);
      Future<Boolean> queued = pool.submit(() -> log.add("queued"));
      gate.begun.await();
      pool.reload();
      pool.cancel();
      assertThatThrownBy(queued::await).hasMessageContaining("'old' was cancelled");
      gate.open.countDown();
      assertThat(running.await()).isEqualTo("through");
      pool.close();
    });
    assertThat(log).isEmpty();
  }

  @Test
  void oldThreads_endAfterTheirTasks() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(ONE)) {
        Thread old = pool.run(Thread::currentThread);
        pool.reload();
        Heddle.<Boolean>offload(() -> old.join(Duration.ofMinutes(4)));
        assertThat(old.isAlive()).isFalse();
        assertThat(pool.run(Thread::currentThread)).isNotSameAs(old);
        assertThat(pool.workers()).isEqualTo(1);
      }
    });
  }

  @Test
  void reload_onAnotherLoop_isRefused() {
    Heddle.run(() -> {
      try (ThreadPool pool = new ThreadPool(ONE)) {
        Loop<Boolean> other =
            Loop.start(() -> {
              assertThatThrownBy(pool::reload).hasMessageContaining("belongs to another loop");
              return true;
            });
        assertThat(other.join()).isTrue();
      }
    });
  }

  // ---- preparing threads ----

  @Test
  void initializerThatThrows_failsTheTask_andIsTriedAgain() {
    IllegalStateException failure = new IllegalStateException("of the initializer");
    for (ThreadPoolOptions options : BOTH_MODES) {
      prepared.set(0);
      Heddle.run(() -> {
        ThreadPoolOptions failing =
            options
                .withCapacity(1)
                .withInitializer(() -> {
                  if (prepared.incrementAndGet() == 1) {
                    throw failure;
                  }
                });
        try (ThreadPool pool = new ThreadPool(failing)) {
          Future<Integer> first = pool.submit(() -> 1);
          Future<Integer> second = pool.submit(() -> 2);
          assertThatThrownBy(first::await).isSameAs(failure);
          assertThat(second.await()).isEqualTo(2);
          assertThat(prepared).hasValue(2);
        }
      });
    }
  }

  @Test
  void initializer_ofAPoolForCoroutines_runsInACoroutineOfTheSameLoop() {
    Heddle.run(() -> {
      ThreadPoolOptions options =
          ONE.withCoroutines(2)
              .withInitializer(() -> {
                Heddle.yieldNow();
                log.add(thread());
              });
      try (ThreadPool pool = new ThreadPool(options)) {
        assertThat(log).isEmpty();
        String loop = pool.run(ThreadPoolReloadTest::thread);
        assertThat(log).containsExactly(loop);
        assertThat(loop).startsWith("old-");
      }
    });
  }

  @Test
  @SuppressWarnings("NullAway") // what callers without checks pass
  void options_areChecked() {
    assertThatThrownBy(() -> ONE.withWorkers(0)).hasMessageContaining("0 workers");
    assertThatThrownBy(() -> ONE.withCapacity(-1)).hasMessageContaining("-1 capacity");
    assertThatThrownBy(() -> ONE.withCoroutines(0)).hasMessageContaining("0 coroutines");
    assertThatThrownBy(() -> ONE.withName(null)).hasMessage("name");
    assertThatThrownBy(() -> ONE.withInitializer(null)).hasMessage("initializer");
    assertThat(ONE.withWorkers(2).withCoroutines(3).withCapacity(4).permits()).isEqualTo(10);
    assertThat(ThreadPoolOptions.defaults().withWorkers(3).permits()).isEqualTo(6);
    assertThat(ONE.withWorkers(1 << 20).withCoroutines(1 << 20).permits())
        .isEqualTo(Integer.MAX_VALUE);
    assertThat(ONE).hasToString("a pool 'old' of 1 threads, for 1 tasks");
    assertThat(ONE.withCoroutines(3))
        .hasToString("a pool 'old' of 1 threads, each for 3 coroutines, for 3 tasks");
  }

  // ---- all together ----

  /// Random programs: submit, cancel, reload, close at any step. Each task runs at most once, on
  /// threads with the options of its submission; each future ends; nothing is left.
  @Test
  void randomPrograms_loseNothingAndDoubleNothing() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? 300 : only + 1;
    Program.Counts counts = new Program.Counts();
    for (long seed = first; seed < last; seed++) {
      try {
        new Program(seed, counts).run();
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ", -Dheddle.seed=" + seed + " repeats it", e);
      }
    }
    assertThat(only != null || counts.overlapped > 100).as("tasks on old threads").isTrue();
    assertThat(only != null || counts.moved > 100).as("reloads with waiting submitters").isTrue();
    assertThat(only != null || counts.cancelled > 100).as("cancelled tasks").isTrue();
  }

  private static final class Program {
    private static final int SUBMITTERS = 4;
    private static final int STEPS = 8;

    /// Whether the programs have met what is interesting.
    private static final class Counts {
      int overlapped;
      int moved;
      int cancelled;
    }

    private final Random random;
    private final Counts counts;
    private final List<Task> tasks = new ArrayList<>();
    private int generation;

    Program(long seed, Counts counts) {
      this.random = new Random(seed);
      this.counts = counts;
    }

    private static final class Task implements Callable<Task> {
      final AtomicInteger runs = new AtomicInteger();
      volatile @Nullable String ranOn;
      @Nullable String expected; // the name of the pool at its submission
      @Nullable Future<Task> future;

      @Override
      public Task call() {
        runs.incrementAndGet();
        ranOn = thread();
        return this;
      }
    }

    void run() {
      Heddle.run(() -> {
        ThreadPool pool = new ThreadPool(options());
        try (pool) {
          Heddle.scope(s -> {
            for (int i = 0; i < SUBMITTERS; i++) {
              s.spawn(() -> submitSome(pool));
            }
            return null;
          });
        }
        assertThat(pool.workers()).isZero();
        assertThat(pool.info()).contains("0 tasks, 0 waiting").doesNotContain("before a reload");
      });
      tasks.forEach(this::verify);
    }

    private ThreadPoolOptions options() {
      ThreadPoolOptions plain =
          ThreadPoolOptions.defaults()
              .withName("g" + generation)
              .withWorkers(1 + random.nextInt(2))
              .withCapacity(random.nextInt(2));
      return random.nextBoolean() ? plain : plain.withCoroutines(1 + random.nextInt(2));
    }

    private void submitSome(ThreadPool pool) {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(6)) {
          case 0 -> reload(pool);
          case 1 -> cancelOne();
          case 2 -> Heddle.yieldNow();
          default -> submit(pool);
        }
      }
    }

    private void submit(ThreadPool pool) {
      Task task = new Task();
      Future<Task> future = pool.submit(task);
      task.expected = "g" + generation + "-"; // it was submitted without a wait since
      task.future = future.ignore();
      tasks.add(task);
    }

    private void reload(ThreadPool pool) {
      counts.overlapped += pool.info().contains(" 0 tasks") ? 0 : 1;
      counts.moved += pool.info().contains("0 waiting") ? 0 : 1;
      generation++;
      pool.reload(options());
    }

    private void cancelOne() {
      if (!tasks.isEmpty()) {
        Future<Task> future = tasks.get(random.nextInt(tasks.size())).future;
        if (future != null && !future.isDone()) {
          counts.cancelled++;
          future.cancel("by the program");
        }
      }
    }

    private void verify(Task task) {
      Future<Task> future = task.future;
      assertThat(future).isNotNull();
      assertThat(future.isDone()).isTrue();
      if (future.isCancelled()) {
        assertThat(task.runs.get()).isLessThanOrEqualTo(1);
        assertThat(future.failure()).isInstanceOf(Cancellation.class);
      } else {
        assertThat(task.runs).hasValue(1);
        assertThat(future.result()).isSameAs(task);
      }
      if (task.ranOn != null) {
        assertThat(task.ranOn).startsWith(task.expected);
      }
    }
  }
}
