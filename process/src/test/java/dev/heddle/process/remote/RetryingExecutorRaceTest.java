// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A caller, the timers and the shutdown at the same time, again and again.
@Timeout(240)
final class RetryingExecutorRaceTest {
  private static final int ROUNDS = 20_000;

  /// An executor, and what its timers have to do.
  private static final class Round {
    final ConcurrentLinkedQueue<Runnable> due = new ConcurrentLinkedQueue<>();
    final AtomicInteger runs = new AtomicInteger();
    final AtomicInteger refused = new AtomicInteger();
    final ThreadLocal<Boolean> hasNoThread = ThreadLocal.withInitial(() -> false);
    private long clock; // runs backwards: it is never time for a line of the log
    final RetryingExecutor executor =
        new RetryingExecutor(threads(), null, retry -> () -> due.add(retry), () -> clock--);

    private Executor threads() {
      return task -> {
        if (hasNoThread.get()) {
          throw new RejectedExecutionException("no thread");
        }
        task.run();
      };
    }

    /// A caller for whose task there is no thread.
    void executeWithoutAThread() {
      hasNoThread.set(true);
      try {
        executor.execute(runs::incrementAndGet);
      } catch (RejectedExecutionException _) {
        refused.incrementAndGet();
      } finally {
        hasNoThread.remove();
      }
    }

    void retry() {
      for (Runnable next = due.poll(); next != null; next = due.poll()) {
        next.run();
      }
    }
  }

  private static void race(Consumer<Round> one, Consumer<Round> other, Consumer<Round> end)
      throws Exception {
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      for (int i = 0; i < ROUNDS; i++) {
        Round round = new Round();
        round.executeWithoutAThread(); // waits
        AtomicInteger missing = new AtomicInteger(2);
        Future<?> first =
            threads.submit(() -> {
              meet(missing);
              one.accept(round);
            });
        meet(missing);
        other.accept(round);
        first.get(1, TimeUnit.MINUTES);
        end.accept(round);
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

  @Test
  void task_thatBeginsToWaitDuringARetry_isTriedAgain() throws Exception {
    race(
        Round::executeWithoutAThread,
        Round::retry,
        round -> {
          round.retry();
          assertThat(round.runs).hasValue(2);
        });
  }

  @Test
  void task_thatBeginsToWaitDuringTheShutdown_runs_orIsRefused() throws Exception {
    race(
        Round::executeWithoutAThread,
        round -> round.executor.close(),
        round -> assertThat(round.runs.get() + round.refused.get()).isEqualTo(2));
  }

  @Test
  void task_thatIsTriedAgainDuringTheShutdown_runsOnce() throws Exception {
    race(
        Round::retry, round -> round.executor.close(), round -> assertThat(round.runs).hasValue(1));
  }
}
