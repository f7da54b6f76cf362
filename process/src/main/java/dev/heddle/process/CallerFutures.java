// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The futures that a program gets for processes of other nodes. Their dependent stages run on a
/// thread of their own: the thread that takes what other nodes say must not wait for them.
final class CallerFutures {
  /*
   * Threads. Each completion has a virtual thread of the JDK's own scheduler, so a stage that waits
   * keeps back its own future only. A virtual thread that is created on another one inherits its
   * scheduler, which for the body of a process is that of the workers: such a thread passes the
   * task to the common pool first.
   *
   * Cost. About a microsecond. What waits inside this library, as `ask` and the commands of steps
   * do, has the inner future, and no such thread.
   *
   * Order. None between different futures.
   *
   * No thread can be made. The pool puts a task into a queue before it makes a thread, and throws
   * when it cannot: the task may run later. So each task decides by a CAS whether it runs or is
   * refused, and the caller is told that it is refused only if it never runs. In the common pool
   * nobody hears of it: there the task is tried again, until there is a thread.
   * [CallerFuturesTest]
   *
   * Rejected. One thread for all completions: a stage that waits for another future would wait for
   * ever. The common pool itself: it has one thread on two processors.
   */
  private CallerFutures() {}

  private static final long AGAIN_NANOS = 10_000_000; // until a thread is tried again

  /// Runs a task on a thread of its own, which may wait.
  ///
  /// @throws RejectedExecutionException or an OutOfMemoryError, when no thread can be made: the
  ///   task does not run
  static void execute(Runnable task) {
    boolean isVirtual = Thread.currentThread().isVirtual();
    execute(task, isVirtual ? ForkJoinPool.commonPool() : null, CallerFutures::start);
  }

  /// The same, with what makes threads.
  ///
  /// @param pool passes the task on; null when the caller starts the thread
  static void execute(Runnable task, @Nullable Executor pool, Consumer<Runnable> start) {
    OnceTask once = new OnceTask(task);
    try {
      if (pool == null) {
        start.accept(once);
      } else {
        pool.execute(() -> startInPool(once, start));
      }
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      if (once.claim()) {
        throw e;
      }
    }
  }

  private static void start(Runnable task) {
    var _ =
        Thread.ofVirtual()
            .name("heddle-callback")
            .inheritInheritableThreadLocals(false)
            .start(task);
  }

  private static void startInPool(OnceTask task, Consumer<Runnable> start) {
    while (!task.isClaimed()) {
      try {
        start.accept(task);
        return;
      } catch (RejectedExecutionException | OutOfMemoryError e) {
        LockSupport.parkNanos(AGAIN_NANOS); // safe: it is tried again
      }
    }
  }

  /// A task that runs once or never, however often it is started.
  private static final class OnceTask implements Runnable {
    private final Runnable task;
    private final AtomicBoolean claimed = new AtomicBoolean();

    OnceTask(Runnable task) {
      this.task = task;
    }

    boolean isClaimed() {
      return claimed.get();
    }

    /// @return false when it has run, or was claimed before
    boolean claim() {
      return claimed.compareAndSet(false, true);
    }

    @Override
    public void run() {
      if (claim()) {
        task.run();
      }
    }
  }

  /// A future that completes as another one does, on a thread of its own. Completing or cancelling
  /// it cancels the other one.
  ///
  /// @return the future itself, when it is complete
  static <T extends @Nullable Object> CompletableFuture<T> of(
      CompletableFuture<T> inner, Executor threads) {
    if (inner.isDone()) {
      return inner;
    }
    CompletableFuture<T> outer = new CompletableFuture<>();
    var _ =
        inner.whenComplete((result, failure) -> {
          if (!outer.isDone()) { // else it was given up
            threads.execute(() -> complete(outer, result, failure));
          }
        });
    var _ = outer.whenComplete((_, _) -> inner.cancel(false));
    return outer;
  }

  private static <T extends @Nullable Object> void complete(
      CompletableFuture<T> outer, T result, @Nullable Throwable failure) {
    var _ = failure == null ? outer.complete(result) : outer.completeExceptionally(failure);
  }
}
