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
import java.util.concurrent.CopyOnWriteArrayList;
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
  private @Nullable Error timerFails; // once
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
      Error failure = timerFails;
      if (failure != null) {
        timerFails = null;
        throw failure;
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

  @Test
  void task_forWhichNoRetryCanBeMadeDue_isRefused_andLaterOnesAreTriedAgain() {
    timerFails = new StackOverflowError();
    missing = 1;
    assertThatThrownBy(() -> executor.execute(() -> runs.addAndGet(10)))
        .isInstanceOf(StackOverflowError.class);
    missing = 1;
    executor.execute(runs::incrementAndGet);
    retry();
    queued.forEach(Runnable::run);
    assertThat(runs).hasValue(1);
  }

  /// One that has relied on the retry of another task, which could not be made due.
  @Test
  void taskThatWaitsWithoutARetry_isTriedAgain_afterTheNextExecute() {
    RetryingExecutor[] own = new RetryingExecutor[1];
    own[0] =
        new RetryingExecutor(
            this::makeThread,
            null,
            retry -> {
              Runnable timer = timer(retry);
              return () -> {
                if (timerFails != null) {
                  missing = 1;
                  own[0].execute(runs::incrementAndGet);
                }
                timer.run();
              };
            },
            () -> now);
    timerFails = new StackOverflowError();
    missing = 1;
    assertThatThrownBy(() -> own[0].execute(() -> runs.addAndGet(10)))
        .isInstanceOf(StackOverflowError.class);
    assertThat(retries).isEmpty();
    own[0].execute(() -> {});
    retry();
    assertThat(runs).hasValue(1);
  }

  @Test
  void task_whoseThreadOverflowsTheStack_isRefused_andNeverRuns() {
    RetryingExecutor deep =
        new RetryingExecutor(
            task -> {
              queued.add(task);
              throw new StackOverflowError();
            },
            null,
            this::timer,
            () -> now);
    assertThatThrownBy(() -> deep.execute(runs::incrementAndGet))
        .isInstanceOf(StackOverflowError.class);
    assertThatThrownBy(() -> deep.executeNow(runs::incrementAndGet))
        .isInstanceOf(StackOverflowError.class);
    queued.forEach(Runnable::run);
    assertThat(retries).isEmpty();
    assertThat(runs).hasValue(0);
  }

  // ---- what a task throws ----

  /// As in a simulation, where the caller's thread runs it.
  @Test
  void failureOfATaskThatRunsInPlace_isThrown_alsoOneThatWouldMeanNoThread() {
    for (Throwable failure :
        List.of(new RejectedExecutionException("of the task"), new OutOfMemoryError("of it"))) {
      Runnable task =
          () -> {
            runs.incrementAndGet();
            RetryingExecutorTest.<RuntimeException>sneak(failure);
          };
      assertThatThrownBy(() -> executor.execute(task)).isSameAs(failure);
      assertThatThrownBy(() -> executor.executeNow(task)).isSameAs(failure);
    }
    assertThat(runs).hasValue(4);
    assertThat(retries).isEmpty();
  }

  @SuppressWarnings("unchecked") // safe: erased
  private static <T extends Throwable> void sneak(Throwable failure) throws T {
    throw (T) failure;
  }

  @Test
  void failureOfATaskThatIsTriedAgain_keepsNoOtherBack() {
    missing = 2;
    executor.execute(() -> {
      throw new RejectedExecutionException("of the task");
    });
    executor.execute(runs::incrementAndGet);
    assertThatThrownBy(this::retry).hasMessage("of the task");
    retry();
    assertThat(runs).hasValue(1);
    assertThat(retries).isEmpty();
  }

  // ---- later ----

  @Test
  void taskForLater_runsAfterAPause() {
    executor.executeLater(runs::incrementAndGet);
    assertThat(runs).hasValue(0);
    retry();
    assertThat(runs).hasValue(1);
    assertThat(retries).isEmpty();
  }

  @Test
  void taskForLater_afterTheShutdown_isRefused() {
    hasEnded = true;
    assertThatThrownBy(() -> executor.executeLater(runs::incrementAndGet))
        .isInstanceOf(RejectedExecutionException.class);
    executor.close();
    assertThat(runs).hasValue(0);
  }

  // ---- the thread of the timers ----

  @Test
  void retry_ofManyTasks_letsOtherTimersFire() {
    int all = 2 * RetryingExecutor.MOST + 1;
    missing = all;
    for (int i = 0; i < all; i++) {
      executor.execute(runs::incrementAndGet);
    }
    retry();
    assertThat(runs).hasValue(RetryingExecutor.MOST);
    retry();
    retry();
    assertThat(runs).hasValue(all);
    assertThat(retries).isEmpty();
  }

  /// A handler of the program may wait.
  @Test
  void retry_logsNothing() {
    missing = 2;
    executor.execute(runs::incrementAndGet);
    lines.clear();
    now += MINUTE;
    retry();
    assertThat(lines).isEmpty();
    retry();
    assertThat(runs).hasValue(1);
  }

  // ---- the shutdown and the log ----

  private final Logger log = Logger.getLogger("dev.heddle.process");
  private final List<String> lines = new CopyOnWriteArrayList<>(); // other threads log, too
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          if (line.getMessage().startsWith("no thread c")) {
            lines.add(line.getMessage());
          }
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

  /// close() comes while the timers try the same task.
  @Test
  void shutdown_duringARetryThatFails_startsTheTask_orSaysThatItDoesNotRun() {
    for (int ofClose = 0; ofClose < 2; ofClose++) {
      Deque<Runnable> due = new ArrayDeque<>();
      boolean[] closes = new boolean[1];
      RetryingExecutor[] own = new RetryingExecutor[1];
      own[0] =
          new RetryingExecutor(
              task -> {
                if (closes[0]) {
                  closes[0] = false;
                  own[0].close();
                  missing = 1;
                }
                makeThread(task);
              },
              null,
              retry -> () -> due.add(retry),
              () -> now);
      runs.set(0);
      missing = 1;
      own[0].execute(runs::incrementAndGet);
      lines.clear();
      missing = ofClose;
      closes[0] = true;
      due.remove().run();
      assertThat(runs).hasValue(1 - ofClose);
      assertThat(lines).hasSize(ofClose);
    }
  }

  @Test
  void task_thatBeginsToWaitAfterTheShutdown_isRefused() {
    executor.close();
    missing = 1;
    assertThatThrownBy(() -> executor.execute(runs::incrementAndGet))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(retries).isEmpty();
    assertThat(runs).hasValue(0);
  }

  @Test
  void taskOfAVirtualThread_thatThePoolMustRefuse_isLogged() throws Exception {
    Deque<Runnable> pool = new ArrayDeque<>();
    RetryingExecutor own = executor(pool::add);
    Thread.ofVirtual().start(() -> own.execute(runs::incrementAndGet)).join();
    own.close();
    missing = 1;
    pool.remove().run();
    assertThat(runs).hasValue(0);
    assertThat(lines)
        .containsExactly("no thread could be made before the shutdown; tasks that do not run: 1");
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
