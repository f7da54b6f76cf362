// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.remote;

import dev.heddle.process.scheduler.UninterruptibleLog;
import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Runs each task on a thread of its own. When no thread can be made for a task, it is tried again
/// until there is one.
///
/// **Thread** any.
public final class RetryingExecutor implements Executor {
  /*
   * Most tasks have no caller who could be told that no thread can be made: a mailbox has space, a
   * future completes, a change waits for a listener. If such a task were lost, a sender or a caller
   * would wait for ever. So it waits in a queue, and the timers try it again. A task whose caller
   * can be told, as the start of a process for another node, is passed to executeNow().
   *
   * Once. An executor may put a task into a queue before it makes a thread, and throw when it
   * cannot: the task may run later. So a thread claims the task before it runs it, by a CAS. A task
   * that is tried again runs once, and one that was refused never runs. [RetryingExecutorTest]
   *
   * States of a task.
   *
   * from     event                     to       by
   * NEW      a thread is made          STARTED  the caller
   * NEW      no thread can be made     WAITING  the caller: adds it to the queue, then makes sure
   *                                             that a retry is due
   * WAITING  a retry makes a thread    STARTED  the timers
   * WAITING  close() makes none        refused  the thread that shuts down: logs how many
   * STARTED  the thread begins         RUN      that thread, by the CAS
   *
   * A retry says first that none is due, and then reads the queue. A caller adds its task first,
   * and then asks whether a retry is due. So one of the two sees the other.
   *
   * Virtual threads. A virtual thread that is made by another one inherits its scheduler, which for
   * the body of a process is that of the workers. So such a caller passes the task to a pool first.
   *
   * Cost. About a microsecond. The queue has no bound of its own: what waits is what would have a
   * thread otherwise.
   *
   * Rejected. To wait in the pool until there is a thread: it has one thread on two processors, and
   * the program needs it. To run the task in the pool: the same.
   */
  private static final long MINUTE = 60_000_000_000L; // between two lines of the log

  private final Executor threads;
  private final @Nullable Executor pool;
  private final Runnable retryLater;
  private final LongSupplier clock;
  private final long madeAt;

  // any thread
  private final Queue<OnceTask> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isRetryDue = new AtomicBoolean();
  private final AtomicLong mayLogAt = new AtomicLong(); // since `madeAt`
  private volatile boolean isClosed;

  /// @param threads runs a task on a thread that it makes; throws when it cannot
  /// @param pool passes on the tasks of virtual threads; null when these make threads themselves
  /// @param timer makes what has an action called after a pause, on a thread that is there already.
  ///   That needs no memory, and throws an [IllegalStateException] when nothing is called any more
  /// @param clock nanoseconds that only grow
  public RetryingExecutor(
      Executor threads,
      @Nullable Executor pool,
      Function<Runnable, Runnable> timer,
      LongSupplier clock) {
    this.threads = threads;
    this.pool = pool;
    this.retryLater = timer.apply(this::retry);
    this.clock = clock;
    this.madeAt = clock.getAsLong();
  }

  /// Runs a task on a thread of its own, as soon as one can be made.
  ///
  /// @throws RejectedExecutionException or an OutOfMemoryError, when no thread can be made and the
  ///   runtime has shut down: the task does not run
  @Override
  public void execute(Runnable task) {
    start(new OnceTask(task));
  }

  /// Runs a task on a thread of its own, or refuses it. One of a virtual thread may wait, as of
  /// [#execute].
  ///
  /// @throws RejectedExecutionException or an OutOfMemoryError, when no thread can be made: the
  ///   task does not run
  public void executeNow(Runnable task) {
    OnceTask once = new OnceTask(task);
    try {
      makeThread(once);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      if (once.claim()) {
        throw e;
      }
    }
  }

  private void makeThread(OnceTask task) {
    if (pool != null && Thread.currentThread().isVirtual()) {
      pool.execute(() -> start(task));
    } else {
      threads.execute(task);
    }
  }

  private void start(OnceTask task) {
    try {
      makeThread(task);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      if (task.isClaimed()) {
        return; // it runs all the same
      }
      if (!isTriedAgain(task) && task.claim()) {
        throw e;
      }
      log(e);
    }
  }

  /// Has a task tried again.
  ///
  /// @return false when nothing is tried again any more
  private boolean isTriedAgain(OnceTask task) {
    waiting.add(task);
    boolean isDue = !isClosed && makeRetryDue(); // after it was added
    return isDue || !waiting.remove(task);
  }

  private boolean makeRetryDue() {
    if (!isRetryDue.compareAndSet(false, true)) {
      return true;
    }
    try {
      retryLater.run();
      return true;
    } catch (IllegalStateException _) { // safe: the caller is told, or close() tries it
      isRetryDue.set(false);
      return false;
    }
  }

  /// Makes threads for those that wait, until it fails.
  private void retry() {
    isRetryDue.set(false);
    for (OnceTask next = waiting.peek(); next != null; next = waiting.peek()) {
      try {
        if (!next.isClaimed()) {
          makeThread(next);
        }
      } catch (RejectedExecutionException | OutOfMemoryError e) {
        log(e);
        var _ = makeRetryDue(); // false: close() tries them
        return;
      }
      var _ = waiting.remove(next);
    }
  }

  /// The runtime has shut down. Makes threads for those that wait, or says that they do not run.
  public void close() {
    isClosed = true;
    int refused = 0;
    Throwable why = null;
    for (OnceTask next = waiting.poll(); next != null; next = waiting.poll()) {
      try {
        makeThread(next);
      } catch (RejectedExecutionException | OutOfMemoryError e) {
        why = e;
        refused += next.claim() ? 1 : 0;
      }
    }
    if (refused > 0) {
      write(
          Level.ERROR,
          "no thread could be made before the shutdown; tasks that do not run: ",
          refused,
          why);
    }
  }

  /// Says that no thread can be made, at most once a minute.
  private void log(Throwable why) {
    long now = clock.getAsLong() - madeAt;
    long from = mayLogAt.get();
    if (now >= from && mayLogAt.compareAndSet(from, now + MINUTE)) {
      write(
          Level.WARNING,
          "no thread can be made; tasks that wait until there is one: ",
          waiting.size(),
          why);
    }
  }

  private static void write(Level level, String text, int tasks, @Nullable Throwable why) {
    try {
      UninterruptibleLog.write(level, text + tasks, why);
    } catch (OutOfMemoryError _) {
      return; // safe: only the line is lost; its caller must not take the task for refused
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
}
