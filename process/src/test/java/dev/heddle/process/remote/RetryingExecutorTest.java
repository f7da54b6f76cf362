// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.ProcessRuntime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
final class RetryingExecutorTest {
  private static final long MINUTE = 60_000_000_000L;

  private final AtomicInteger runs = new AtomicInteger();
  private final Deque<Runnable> retries = new ArrayDeque<>();
  private final List<Runnable> queued = new ArrayList<>(); // in an executor that has no thread
  private int missing; // threads that cannot be made
  private boolean hasEnded; // and tries nothing again
  private long now = -5;

  private final RetryingExecutor executor = executor(null);

  private RetryingExecutor executor(@Nullable Executor pool) {
    return new RetryingExecutor(this::makeThread, pool, this::timer, () -> now);
  }

  private void makeThread(Runnable task) {
    if (missing > 0) {
      missing--;
      queued.add(task);
      throw new OutOfMemoryError("no thread");
    }
    task.run();
  }

  private Runnable timer(Runnable retry) {
    return () -> {
      if (hasEnded) {
        throw new IllegalStateException("the runtime has shut down");
      }
      retries.add(retry);
    };
  }

  /// Does what is due, as the timers do.
  private void retry() {
    retries.remove().run();
  }

  // ---- execute ----

  @Test
  void task_forWhichNoThreadCanBeMade_runsWhenThereIsOne() {
    missing = 2;
    executor.execute(runs::incrementAndGet);
    assertThat(runs).hasValue(0);
    retry();
    assertThat(runs).hasValue(0);
    retry();
    assertThat(runs).hasValue(1);
    assertThat(retries).isEmpty();
  }

  @Test
  void tasks_forWhichNoThreadCanBeMade_allRun_afterOneRetry() {
    missing = 3;
    for (int i = 0; i < 3; i++) {
      executor.execute(runs::incrementAndGet);
    }
    assertThat(retries).hasSize(1);
    retry();
    assertThat(runs).hasValue(3);
  }

  /// Some executors put a task into a queue first, and throw then.
  @Test
  void task_thatIsTriedAgain_runsOnce_alsoWhenItsFirstThreadComesLate() {
    missing = 1;
    executor.execute(runs::incrementAndGet);
    retry();
    queued.forEach(Runnable::run);
    assertThat(runs).hasValue(1);
  }

  @Test
  void task_thatRunsAlthoughItsStartFails_runsOnce_andIsNotRefused() {
    RetryingExecutor failing =
        new RetryingExecutor(
            task -> {
              task.run();
              throw new OutOfMemoryError("no thread");
            },
            null,
            this::timer,
            () -> now);
    failing.execute(runs::incrementAndGet);
    failing.executeNow(runs::incrementAndGet);
    assertThat(retries).isEmpty();
    assertThat(runs).hasValue(2);
  }

  @Test
  void taskOfAVirtualThread_isPassedToThePool_andTriedAgainWhenThatHasNoThread() throws Exception {
    Deque<Runnable> pool = new ArrayDeque<>();
    RetryingExecutor own = executor(pool::add);
    Thread.ofVirtual().start(() -> own.execute(runs::incrementAndGet)).join();
    assertThat(runs).hasValue(0);
    missing = 1;
    pool.remove().run();
    assertThat(runs).hasValue(0);
    retry();
    assertThat(runs).hasValue(1);
  }

  @Test
  void task_ofTheBodyOfAProcess_runsOnAThreadOfTheJdk() throws Exception {
    CompletableFuture<String> thread = new CompletableFuture<>();
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start()) {
      Executor callbacks = LocalProcesses.of(runtime).callbacks();
      runtime.spawn(
          CoroutineProcess.of(_ -> {
            callbacks.execute(() -> thread.complete(Thread.currentThread().toString()));
            return null;
          }));
      assertThat(thread.get()).contains("ForkJoinPool");
    }
  }

  // ---- refused ----

  /// The pool has it in a queue then, and would run it once there are threads.
  @Test
  void task_thatIsRefusedSinceNoThreadCanBeMade_neverRuns() {
    missing = 1;
    assertThatThrownBy(() -> executor.executeNow(runs::incrementAndGet))
        .isInstanceOf(OutOfMemoryError.class);
    queued.getFirst().run();
    assertThat(retries).isEmpty();
    assertThat(runs).hasValue(0);
  }

  @Test
  void task_afterTheShutdown_isRefused_andNeverRuns() {
    hasEnded = true;
    missing = 1;
    assertThatThrownBy(() -> executor.execute(runs::incrementAndGet))
        .isInstanceOf(OutOfMemoryError.class);
    queued.getFirst().run();
    executor.close();
    assertThat(runs).hasValue(0);
  }

  @Test
  void task_ofAPoolThatRefuses_runsWhenThereIsAThread() throws Exception {
    RetryingExecutor own =
        executor(_ -> {
          throw new RejectedExecutionException("full");
        });
    Thread.ofVirtual().start(() -> own.execute(runs::incrementAndGet)).join();
    retry();
    assertThat(runs).hasValue(1);
  }

  // ---- the shutdown and the log ----

  private final Logger log = Logger.getLogger("dev.heddle.process");
  private final List<String> lines = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    log.addHandler(handler);
    log.setUseParentHandlers(false);
  }

  @AfterEach
  void listenNoMore() {
    log.removeHandler(handler);
    log.setUseParentHandlers(true);
  }

  @Test
  void shutdown_startsWhatWaits_andSaysWhatDoesNotRun() {
    missing = 2;
    executor.execute(runs::incrementAndGet);
    executor.execute(runs::incrementAndGet);
    missing = 1;
    lines.clear();
    executor.close();
    assertThat(runs).hasValue(1);
    assertThat(lines)
        .containsExactly("no thread could be made before the shutdown; tasks that do not run: 1");
    queued.forEach(Runnable::run);
    assertThat(runs).hasValue(1);
  }

  @Test
  void threadsThatCannotBeMade_areLoggedOnceAMinute_alsoWhenSomeWereMadeMeanwhile() {
    for (int i = 0; i < 10; i++) {
      missing = 2;
      executor.execute(runs::incrementAndGet);
      retry();
      retry();
    }
    now += MINUTE - 1;
    missing = 1;
    executor.execute(runs::incrementAndGet);
    assertThat(lines)
        .containsExactly("no thread can be made; tasks that wait until there is one: 1");
    now += 1;
    missing = 1;
    executor.execute(runs::incrementAndGet);
    assertThat(lines.getLast())
        .isEqualTo("no thread can be made; tasks that wait until there is one: 2");
    assertThat(lines).hasSize(2);
    retry();
    assertThat(runs).hasValue(12);
  }
}
