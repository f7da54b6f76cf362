// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import dev.heddle.Action;
import java.util.Objects;

/// The options of a [ThreadPool]. An immutable value; start from [#defaults()] and change what
/// matters.
///
/// {@snippet class=dev.heddle.snippets.ThreadSnippetsTest region=poolOptions}
///
/// **Thread** any.
///
/// @since 0.1
public final class ThreadPoolOptions {
  private static final int AS_MANY_AS_RUN = -1;
  private static final int ON_THE_THREAD = 0;

  private static final ThreadPoolOptions DEFAULTS =
      new ThreadPoolOptions(
          "pool",
          Runtime.getRuntime().availableProcessors(),
          AS_MANY_AS_RUN,
          ON_THE_THREAD,
          () -> {});

  private final String name;
  private final int workers;
  private final int capacity;
  private final int coroutines;
  private final Action initializer;

  private ThreadPoolOptions(
      String name, int workers, int capacity, int coroutines, Action initializer) {
    this.name = name;
    this.workers = workers;
    this.capacity = capacity;
    this.coroutines = coroutines;
    this.initializer = initializer;
  }

  /// A thread for each processor, which runs one task after the other, and space in the queue for
  /// as many tasks as run at a time.
  public static ThreadPoolOptions defaults() {
    return DEFAULTS;
  }

  /// The same with another name of the threads, also for reports. Default `pool`.
  public ThreadPoolOptions withName(String changed) {
    Objects.requireNonNull(changed, "name");
    return new ThreadPoolOptions(changed, workers, capacity, coroutines, initializer);
  }

  /// The same with another number of threads. A thread is started when there are more tasks than
  /// threads, and ends after ten seconds without a task.
  ///
  /// @param changed the most threads, at least 1
  /// @throws IllegalArgumentException when it is less
  public ThreadPoolOptions withWorkers(int changed) {
    return new ThreadPoolOptions(
        name, atLeast(1, changed, "workers"), capacity, coroutines, initializer);
  }

  /// The same with another size of the queue.
  ///
  /// @param changed the most tasks that wait for a thread, not negative
  /// @throws IllegalArgumentException when it is negative
  public ThreadPoolOptions withCapacity(int changed) {
    return new ThreadPoolOptions(
        name, workers, atLeast(0, changed, "capacity"), coroutines, initializer);
  }

  /// The same with tasks that run as coroutines: each thread has a loop of its own, with the
  /// options of the pool's loop, and runs up to `changed` tasks at a time. So a task may wait, and
  /// use all of Heddle; what it waits for must belong to its own loop, or be meant for several
  /// threads.
  ///
  /// A task that is cancelled gets a [dev.heddle.Cancellation] at its wait, as any coroutine. The
  /// coroutines that it has spawned belong to it: they are cancelled when it ends, and their
  /// failure is its failure.
  ///
  /// @param changed the most tasks that run at a time on each thread, at least 1
  /// @throws IllegalArgumentException when it is less
  public ThreadPoolOptions withCoroutines(int changed) {
    return new ThreadPoolOptions(
        name, workers, capacity, atLeast(1, changed, "coroutines"), initializer);
  }

  /// The same with an action for each thread, which runs on the thread before its first task; with
  /// [coroutines][#withCoroutines], in a coroutine. If it throws, that task fails with it, and the
  /// thread ends; the next task has another thread, which tries again.
  ///
  /// Thread-locals that it sets do not last: each task starts without those of the one before.
  public ThreadPoolOptions withInitializer(Action changed) {
    Objects.requireNonNull(changed, "initializer");
    return new ThreadPoolOptions(name, workers, capacity, coroutines, changed);
  }

  private static int atLeast(int least, int value, String what) {
    if (value < least) {
      throw new IllegalArgumentException(
          "a pool of " + value + " " + what + "; the least is " + least);
    }
    return value;
  }

  String name() {
    return name;
  }

  int workers() {
    return workers;
  }

  /// Zero: tasks run on the threads themselves.
  int coroutines() {
    return coroutines;
  }

  Action initializer() {
    return initializer;
  }

  boolean isForCoroutines() {
    return coroutines != ON_THE_THREAD;
  }

  /// The most tasks that run or are queued.
  int permits() {
    long running = (long) workers * Math.max(1, coroutines);
    long queued = capacity == AS_MANY_AS_RUN ? running : capacity;
    return (int) Math.min(Integer.MAX_VALUE, running + queued);
  }

  @Override
  public String toString() {
    return "a pool '"
        + name
        + "' of "
        + workers
        + " threads"
        + (isForCoroutines() ? ", each for " + coroutines + " coroutines" : "")
        + ", for "
        + permits()
        + " tasks";
  }
}
