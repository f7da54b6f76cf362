// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.remote;

import dev.heddle.internal.SpinLock;
import dev.heddle.internal.StackGuard;
import dev.heddle.process.scheduler.UninterruptibleLog;
import java.lang.System.Logger.Level;
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
   * States of a task. It is in the queue or not (OnceTask.isWaiting), and claimed or not.
   *
   * from     event                        to       by
   * new      a thread is made             started  the caller
   * new      no thread can be made        waiting  the caller: adds it, then makes sure that a
   *                                                retry is due
   * new      executeLater()               waiting  the same
   * waiting  a retry makes a thread       started  the timers: remove it then
   * waiting  no retry can be made due     new      the caller: removes it, and refuses it
   * waiting  close() makes a thread       started  the thread that shuts down: removes it then
   * waiting  close() can make none        claimed  the same: logs how many do not run
   * new      it is refused                claimed  the caller, who is told. If that finds it
   *                                                claimed, it is not refused: it runs, or close()
   *                                                has logged it
   * started  the thread begins            claimed  that thread, and runs it
   *
   * I1. A task runs once or never. An executor may put a task into a queue before it makes a
   *     thread, and throw when it cannot: the task may run later. So whoever runs a task or gives
   *     it up claims it before, by a CAS. One that was refused never runs. [RetryingExecutorTest]
   * I2. While tasks wait, a retry is due. A retry says first that none is due, and looks into the
   *     queue then; a caller adds its task first, and asks then whether a retry is due. So one of
   *     the two sees the other. [RetryingExecutorRaceTest, RetryingExecutorStress]
   *     When a caller cannot make it due, at the end of its stack, another one may have relied on
   *     it: then the next execute() makes it due.
   * I3. No task waits when close() has returned: close() says first that it is closed, and looks
   *     then; a caller adds first, and looks then. A retry leaves a task in the queue until it has
   *     made its thread, so close() sees each. Both may make a thread for one task: one of the two
   *     claims it. [RetryingExecutorRaceTest, RetryingExecutorStress]
   *
   * The queue links the tasks themselves, so that waiting takes no memory, under a spin lock: its
   * sections are some stores, and the timers' thread may enter them. A stack overflow within would
   * leave it locked, so a caller looks first whether its stack has room.
   *
   * The timers' thread waits for nothing: it writes no log, as a handler of the program may wait,
   * and makes no more than 1,024 threads before it serves other timers. The line of the log is
   * written by a caller for whose task there is no thread.
   *
   * What the task throws. `threads` may run a task in place, as in a simulation. What a task has
   * thrown to this thread says nothing about threads: its caller gets it.
   *
   * Virtual threads. A virtual thread that is made by another one inherits its scheduler, which for
   * the body of a process is that of the workers. So such a caller passes the task to a pool first.
   * When the pool's thread has to refuse it, after the shutdown, the caller has gone: that is
   * logged.
   *
   * Cost. About a microsecond. The queue has no bound of its own: what waits is what would have a
   * thread otherwise.
   *
   * Rejected. To wait in the pool until there is a thread: it has one thread on two processors, and
   * the program needs it. To run the task in the pool: the same. A thread that makes the others, in
   * place of the timers': it may be the only one that can be made.
   */
  private static final long MINUTE = 60_000_000_000L; // between two lines of the log
  static final int MOST = 1_024; // threads in a row, about a millisecond of the timers' thread

  private final Executor threads;
  private final @Nullable Executor pool;
  private final Runnable retryLater;
  private final LongSupplier clock;
  private final long madeAt;

  // any thread
  private final Waiting waiting = new Waiting();
  private final AtomicBoolean isRetryDue = new AtomicBoolean();
  private final AtomicLong mayLogAt = new AtomicLong(); // since `madeAt`
  private volatile boolean isClosed;

  /// @param threads runs a task on a thread that it makes; throws when it cannot
  /// @param pool passes on the tasks of virtual threads; null when these make threads themselves
  /// @param timer makes what has an action called after a pause, on a thread that is there already.
  ///   That needs no memory, and throws an [IllegalStateException] when nothing is called any more;
  ///   or a StackOverflowError, and then nothing has been done
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
  ///   runtime has shut down: the task does not run. The same holds for a StackOverflowError
  @Override
  public void execute(Runnable task) {
    start(new OnceTask(task));
    if (waiting.isAny() && !isRetryDue.get()) {
      retryAgain();
    }
  }

  /// As [#execute], after a pause: for what has failed and is tried again.
  ///
  /// @throws RejectedExecutionException when the runtime has shut down: the task does not run
  public void executeLater(Runnable task) {
    OnceTask once = new OnceTask(task);
    if (isRefused(once)) {
      throw new RejectedExecutionException("the runtime has shut down");
    }
  }

  /// Runs a task on a thread of its own, or refuses it. One of a virtual thread may wait, as of
  /// [#execute].
  ///
  /// @throws RejectedExecutionException or an OutOfMemoryError, when no thread can be made: the
  ///   task does not run. The same holds for a StackOverflowError
  public void executeNow(Runnable task) {
    OnceTask once = new OnceTask(task);
    try {
      makeThread(once);
    } catch (Throwable t) {
      if (once.hasThrownHere(t) || once.claim()) {
        throw t;
      }
    }
  }

  private void makeThread(OnceTask task) {
    if (pool != null && Thread.currentThread().isVirtual()) {
      pool.execute(() -> startPassedOn(task));
    } else {
      threads.execute(task);
    }
  }

  /// On a thread of the pool: nobody would hear what it throws.
  private void startPassedOn(OnceTask task) {
    try {
      start(task);
    } catch (Throwable t) {
      if (task.hasThrownHere(t)) {
        throw t;
      }
      sayRefused(1, t);
    }
  }

  private void start(OnceTask task) {
    try {
      makeThread(task);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      if (task.hasThrownHere(e)) {
        throw e;
      }
      if (task.isClaimed()) {
        return; // it runs all the same
      }
      if (isRefused(task)) {
        throw e;
      }
      log(e);
    } catch (Throwable t) {
      if (task.hasThrownHere(t) || task.claim()) {
        throw t;
      }
    }
  }

  /// Has a task tried again, or refuses it. If it throws, the task is refused.
  private boolean isRefused(OnceTask task) {
    try {
      return !isTriedAgain(task) && task.claim();
    } catch (Throwable t) {
      if (task.claim()) {
        throw t;
      }
      return false; // safe: it runs, or close() says that it does not
    }
  }

  /// Has a task tried again. If it throws, the task does not wait.
  ///
  /// @return false when nothing is tried again any more
  private boolean isTriedAgain(OnceTask task) {
    StackGuard.requireAmpleRoom(); // a stack overflow would leave the queue locked
    waiting.add(task);
    boolean isDue = false;
    try {
      isDue = !isClosed && makeRetryDue(); // after it was added
    } finally {
      if (!isDue) {
        waiting.remove(task);
      }
    }
    return isDue;
  }

  private boolean makeRetryDue() {
    if (!isRetryDue.compareAndSet(false, true)) {
      return true;
    }
    boolean isArmed = false;
    try {
      retryLater.run();
      isArmed = true;
    } catch (IllegalStateException _) { // safe: the caller is told, or close() tries it
      return false;
    } finally {
      if (!isArmed) {
        isRetryDue.set(false);
      }
    }
    return true;
  }

  /// Makes threads for those that wait, until it fails. On the timers' thread.
  private void retry() {
    isRetryDue.set(false); // before the first look
    for (int made = 0; made < MOST; made++) {
      OnceTask next = waiting.first();
      if (next == null) {
        return;
      }
      if (!isStarted(next)) {
        break;
      }
      waiting.remove(next); // not before: close() has to see it
    }
    retryAgain();
  }

  private boolean isStarted(OnceTask next) {
    if (next.isClaimed()) {
      return true;
    }
    try {
      makeThread(next);
      return true;
    } catch (Throwable t) {
      if (next.hasThrownHere(t)) {
        waiting.remove(next);
        retryAgain();
        throw t;
      }
      return next.isClaimed();
    }
  }

  private void retryAgain() {
    try {
      var _ = makeRetryDue(); // false: close() tries them
    } catch (Throwable _) {
      return; // safe: the next execute() makes it due, or close() tries them
    }
  }

  /// The runtime has shut down. Makes threads for those that wait, or says that they do not run.
  public void close() {
    isClosed = true; // before the first look
    int refused = 0;
    Throwable why = null;
    for (OnceTask next = waiting.first(); next != null; next = waiting.first()) {
      try {
        if (!next.isClaimed()) {
          makeThread(next);
        }
      } catch (Throwable t) {
        if (!next.hasThrownHere(t) && next.claim()) {
          refused++;
          why = t;
        }
      }
      waiting.remove(next);
    }
    if (refused > 0) {
      sayRefused(refused, why);
    }
  }

  private static void sayRefused(int tasks, @Nullable Throwable why) {
    write(
        Level.ERROR,
        "no thread could be made before the shutdown; tasks that do not run: ",
        tasks,
        why);
  }

  /// Says that no thread can be made, at most once a minute.
  private void log(Throwable why) {
    long now = clock.getAsLong() - madeAt;
    long from = mayLogAt.get();
    if (now >= from && mayLogAt.compareAndSet(from, now + MINUTE)) {
      write(
          Level.WARNING,
          "no thread can be made; tasks that wait until there is one: ",
          waiting.count(),
          why);
    }
  }

  private static void write(Level level, String text, int tasks, @Nullable Throwable why) {
    try {
      UninterruptibleLog.write(level, text + tasks, why);
    } catch (OutOfMemoryError | StackOverflowError _) {
      return; // safe: only the line is lost; its caller must not take the task for refused
    }
  }

  /// A task that runs once or never, however often it is started.
  private static final class OnceTask implements Runnable {
    private final Runnable task;
    private final AtomicBoolean claimed = new AtomicBoolean();

    // the thread that runs it
    private @Nullable Thread runner;
    private @Nullable Throwable thrown;

    // under the lock of the queue
    private boolean isWaiting;
    private @Nullable OnceTask before;
    private @Nullable OnceTask behind;

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

    /// Whether the task itself has thrown this, on the current thread.
    boolean hasThrownHere(Throwable t) {
      // safe: a thread that reads itself here has written both; the JVM shares some errors
      return runner == Thread.currentThread() && thrown == t;
    }

    @Override
    public void run() {
      if (!claim()) {
        return;
      }
      runner = Thread.currentThread();
      try {
        task.run();
      } catch (Throwable t) {
        thrown = t;
        throw t;
      }
    }
  }

  /// The tasks that wait, the oldest first. Takes no memory.
  @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock
  private static final class Waiting {
    private final SpinLock lock = new SpinLock();

    // written under the lock
    private volatile @Nullable OnceTask oldest;
    private @Nullable OnceTask newest;
    private volatile int count;

    boolean isAny() {
      return oldest != null;
    }

    int count() {
      return count;
    }

    @Nullable OnceTask first() {
      return oldest;
    }

    void add(OnceTask task) {
      lock.lock();
      try {
        task.isWaiting = true;
        task.before = newest;
        if (newest == null) {
          oldest = task;
        } else {
          newest.behind = task;
        }
        newest = task;
        count++;
      } finally {
        lock.unlock();
      }
    }

    /// Removes a task, if it is there.
    void remove(OnceTask task) {
      lock.lock();
      try {
        if (task.isWaiting) {
          task.isWaiting = false;
          unlink(task);
          count--;
        }
      } finally {
        lock.unlock();
      }
    }

    private void unlink(OnceTask task) {
      OnceTask before = task.before;
      OnceTask behind = task.behind;
      if (before == null) {
        oldest = behind;
      } else {
        before.behind = behind;
      }
      if (behind == null) {
        newest = before;
      } else {
        behind.before = before;
      }
      task.before = null;
      task.behind = null;
    }
  }
}
