// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.Registration;
import dev.heddle.process.instance.FailureLogger;
import dev.heddle.process.timer.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// What a program runs before the shutdown of a runtime ends its processes. Any thread.
public final class BeforeShutdown {
  /// One that was added; the same one may be added twice.
  private static final class Action {
    final AutoCloseable closeable;

    Action(AutoCloseable closeable) {
      this.closeable = closeable;
    }
  }

  private final Executor executor;
  private final Timers timers;

  // any thread, CAS: null once a shutdown has taken them
  private final AtomicReference<@Nullable List<Action>> actions = new AtomicReference<>(List.of());

  // the thread that runs them
  private volatile @Nullable Thread runner;

  /// @param executor runs them beside the thread that shuts down, which waits for a limited time
  public BeforeShutdown(Executor executor, Timers timers) {
    this.executor = executor;
    this.timers = timers;
  }

  /// Adds one, which is closed before those that were added before.
  ///
  /// @return removes it; does nothing once a shutdown has begun
  /// @throws IllegalStateException when the shutdown has begun
  public Registration add(AutoCloseable action) {
    Action added = new Action(Objects.requireNonNull(action, "action"));
    while (true) {
      List<Action> known = actions.get();
      if (known == null) {
        throw new IllegalStateException(
            "the runtime is shutting down already; it would not close " + action);
      }
      List<Action> all = new ArrayList<>(known);
      all.add(added);
      if (actions.compareAndSet(known, List.copyOf(all))) {
        return () -> remove(added);
      }
    }
  }

  private void remove(Action added) {
    var _ =
        actions.updateAndGet(
            known -> known == null ? null : known.stream().filter(each -> each != added).toList());
  }

  /// Whether the current thread runs one of them.
  public boolean isRunHere() {
    return runner == Thread.currentThread();
  }

  /// Closes all, the last one first, and waits for that. Interrupts them when the time is over or
  /// the waiting thread is interrupted, and returns; an interrupt is kept.
  ///
  /// @param runtime for the log
  public void run(Duration limit, Object runtime) {
    List<Action> all = actions.getAndSet(null);
    if (all == null || all.isEmpty()) {
      return;
    }
    CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    executor.execute(() -> closeAll(all.reversed(), runtime, done));
    try {
      var _ = timers.await(done, limit.toNanos());
    } catch (TimeoutException e) {
      FailureLogger.log(
          "what runs before the shutdown of ", runtime, " has not ended within " + limit, e);
      interrupt();
    } catch (InterruptedException _) {
      interrupt();
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException("nothing fails it", e);
    }
  }

  private void interrupt() {
    Thread running = runner;
    if (running != null) {
      running.interrupt();
    }
  }

  private void closeAll(List<Action> all, Object runtime, CompletableFuture<@Nullable Void> done) {
    runner = Thread.currentThread();
    try {
      for (Action each : all) {
        close(each.closeable, runtime);
      }
    } finally {
      runner = null;
      done.complete(null);
    }
  }

  private static void close(AutoCloseable action, Object runtime) {
    try {
      action.close();
    } catch (Throwable t) {
      FailureLogger.log("close() of " + action + " before the shutdown of ", runtime, " failed", t);
    }
  }
}
