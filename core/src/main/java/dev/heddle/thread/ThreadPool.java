// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.Transform;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Await;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.CrossThreadTraces;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.FairSemaphore;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.thread.worker.OffloadedCall;
import dev.heddle.thread.worker.WorkerThreads;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// Threads for computations, which would otherwise hold the loop until they are done.
///
/// {@snippet class=dev.heddle.snippets.ThreadSnippetsTest region=pool}
///
/// A task runs outside the loop: it must not use data that coroutines share, calls of `Heddle` fail
/// in it, and its result is passed by reference. Tasks start in the order of submission. When all
/// threads are busy and the queue is full, the submitter waits.
///
/// **Cancelled** a task that has not started never does. One that runs is interrupted, and should
/// check for that ([Thread#interrupted()]); its result or failure is dropped. A task is cancelled
/// through its future, and when the last coroutine that awaits the future is cancelled during that
/// wait. A task whose future no coroutine awaits continues. **Failure** of a task fails its future;
/// its thread runs the next task.
///
/// **Thread** the loop on which it was created. The pool ends with its loop at the latest: tasks
/// that run then are interrupted.
///
/// @since 0.1
public final class ThreadPool implements AutoCloseable {
  private final Scheduler home;
  private final String name;
  private final int maxThreads;
  private final Slots slots;
  private final WorkerThreads threads;

  // loop only
  private boolean closed;

  /// A pool of the current loop with a thread for each processor.
  ///
  /// @throws IllegalStateException outside a coroutine
  public ThreadPool() {
    this(Runtime.getRuntime().availableProcessors());
  }

  /// A pool of the current loop with space in its queue for one task for each thread.
  ///
  /// @param workers the most threads, at least 1; one is started only when the others are busy
  /// @throws IllegalStateException outside a coroutine
  public ThreadPool(int workers) {
    this("pool", workers, workers);
  }

  /// A pool of the current loop.
  ///
  /// @param name of its threads, and for reports
  /// @param workers the most threads, at least 1; one is started only when the others are busy
  /// @param capacity the most tasks that wait for a thread, not negative
  /// @throws IllegalStateException outside a coroutine
  public ThreadPool(String name, int workers, int capacity) {
    if (workers < 1 || capacity < 0) {
      throw new IllegalArgumentException(
          "a pool needs at least one worker, and a capacity that is not negative: "
              + workers
              + ", "
              + capacity);
    }
    CoroutineNode<?> self = CoroutineNode.current();
    this.home = self.scheduler();
    this.name = name;
    this.maxThreads = workers;
    this.slots = new Slots(workers + capacity);
    this.threads = LoopRuntime.of(self).blockingPools().open(name, workers, slots::release);
  }

  // ---- submitting ----

  /// Submits a task. **Suspends** while the queue is full, first come, first served.
  ///
  /// @throws IllegalStateException when the pool is closed, or belongs to another loop
  public <T extends @Nullable Object> Future<T> submit(Callable<T> task) {
    CoroutineNode<?> self = current();
    if (!slots.tryAcquire()) {
      slots.awaitPermit(self, Deadline.never(), null);
    }
    return begin(task);
  }

  /// Submits a task, but waits no longer than a deadline for space in the queue. Otherwise as
  /// [#submit(Callable)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public <T extends @Nullable Object> Future<T> submit(Callable<T> task, Deadline deadline) {
    CoroutineNode<?> self = current();
    if (!slots.tryAcquire()) {
      slots.awaitPermit(self, deadline, null);
    }
    return begin(task);
  }

  /// Submits a task, but waits for space in the queue no longer than until `token` fires. Otherwise
  /// as [#submit(Callable)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public <T extends @Nullable Object> Future<T> submit(Callable<T> task, Awaitable<?> token) {
    CoroutineNode<?> self = current();
    if (!slots.tryAcquire()) {
      slots.awaitPermit(self, Deadline.never(), EventSource.of(token));
    }
    return begin(task);
  }

  private CoroutineNode<?> current() {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != home) {
      throw new IllegalStateException(
          "the pool '" + name + "' belongs to another loop; make one on each loop that needs it");
    }
    checkOpen();
    return self;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException(
          "the pool '" + name + "' is closed; submit before that, or open a new one");
    }
  }

  /// Called with a slot taken.
  private <T extends @Nullable Object> Future<T> begin(Callable<T> task) {
    OffloadedCall offloadedCall;
    Future<T> future;
    try {
      checkOpen();
      offloadedCall = new OffloadedCall(home, "a task of the pool '" + name + "'", task);
      Awaitable<T> end = offloadedCall::done;
      // an interrupt takes a JDK lock, so it is left to the trampoline
      future = Future.ofWork(end, c -> home.runOnCarrier(() -> threads.cancel(offloadedCall, c)));
    } catch (Throwable e) {
      slots.release();
      throw e;
    }
    threads.submit(offloadedCall);
    return future;
  }

  // ---- submitting and waiting ----

  /// Runs a task and waits for it. **Suspends** always. **Cancelled** the task is cancelled, too.
  /// The trace of what it throws continues with the frames of the caller.
  ///
  /// @return the task's result
  /// @throws CoroutineException when it threw a checked exception; unchecked exceptions and errors
  ///   are thrown as they are
  public <T extends @Nullable Object> T run(Callable<T> task) {
    Future<T> future = submit(task);
    try {
      return future.await();
    } catch (Throwable e) {
      if (future.failure() == e) {
        CrossThreadTraces.appendCallerTrace(e);
      }
      throw e;
    } finally {
      // the wait may also have been ended by a token or a deadline around this call
      if (!future.isDone()) {
        future.cancel("its caller no longer waits for it");
      }
    }
  }

  /// Applies a function to each item, on the threads of the pool, and waits for all. **Suspends**
  /// always. **Cancelled** or failed, it cancels the remaining tasks.
  ///
  /// @param items taken one by one, as the queue has space
  /// @return the results, in the order of the items
  /// @throws CoroutineException when the function threw a checked exception; of several failures
  ///   the first one is thrown, at once
  public <T extends @Nullable Object, R extends @Nullable Object> List<R> map(
      Iterable<? extends T> items, Transform<? super T, ? extends R> function) {
    current();
    Iterator<? extends T> from = items.iterator();
    List<Future<R>> submitted = new ArrayList<>();
    Iterator<Future<R>> submitting =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return from.hasNext();
          }

          @Override
          public Future<R> next() {
            T item = from.next();
            Future<R> future = submit(() -> function.apply(item));
            submitted.add(future);
            return future;
          }
        };
    try {
      return Await.<R>of(submitting).allOrFail().values();
    } catch (Throwable e) {
      if (submitted.stream().anyMatch(future -> future.failure() == e)) {
        CrossThreadTraces.appendCallerTrace(e);
      }
      throw e;
    } finally {
      // the queued ones first, so that no thread takes them when it becomes free
      for (Future<R> future : submitted.reversed()) {
        if (!future.isDone()) {
          future.cancel("the call of map that it belonged to has ended");
        }
      }
    }
  }

  /// Applies a function to each value of a map. Otherwise as [#map(Iterable, Transform)].
  ///
  /// @return the results by the same keys, in the same order
  public <K, T extends @Nullable Object, R extends @Nullable Object> Map<K, R> map(
      Map<K, ? extends T> items, Transform<? super T, ? extends R> function) {
    List<K> keys = new ArrayList<>(items.keySet());
    List<R> results = this.<T, R>map(new ArrayList<>(items.values()), function);
    Map<K, R> byKey = new LinkedHashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      byKey.put(keys.get(i), results.get(i));
    }
    return byKey;
  }

  // ---- the end ----

  /// Accepts no more tasks, and cancels those that have not started; running ones continue. Returns
  /// at once; [#close()] waits for them.
  public void cancel() {
    home.checkOnLoop();
    closed = true;
    threads.refuseQueued(new Cancellation("the pool '" + name + "' was cancelled"));
    threads.finish();
  }

  /// Accepts no more tasks, and waits until all are done and the threads have ended. **Suspends**
  /// while there are any. **Cancelled** the tasks are cancelled, too.
  @Override
  public void close() {
    home.checkOnLoop();
    closed = true;
    threads.finish();
    try {
      home.await(threads.gone());
    } catch (Cancellation c) {
      threads.cancelAll(c);
      throw c;
    } catch (WaitCancelledException interrupted) {
      threads.cancelAll(new Cancellation("close() of the pool '" + name + "' was interrupted"));
      throw interrupted;
    }
  }

  // ---- views ----

  /// Whether it accepts no more tasks.
  public boolean isClosed() {
    return closed;
  }

  /// The current number of threads: none before the first task, none after the end.
  public int workers() {
    return threads.live();
  }

  /// One line for reports: the number of threads, tasks and waiting submitters.
  public String info() {
    return "the pool '"
        + name
        + "', "
        + threads.live()
        + " of "
        + maxThreads
        + " threads, "
        + threads.outstanding()
        + " tasks, "
        + slots.waiting()
        + " waiting to submit";
  }

  @Override
  public String toString() {
    return info();
  }

  /// The slots of the pool: one for each task that runs or is queued.
  private final class Slots extends FairSemaphore {
    Slots(int number) {
      super(home, number, name);
    }

    // a task that no coroutine awaits also releases its slot, so waits for a slot are waits for the
    // outside world
    @Override
    protected boolean releasedOnLoop() {
      return false;
    }

    @Override
    protected String info() {
      return "a place in " + ThreadPool.this.info();
    }
  }
}
