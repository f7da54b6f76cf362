// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.PoolClosedException;
import dev.heddle.Transform;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Await;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.failure.CrossThreadTraces;
import dev.heddle.internal.StackGuard;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.thread.worker.BlockingPools;
import dev.heddle.thread.worker.OffloadedCall;
import dev.heddle.thread.worker.PlainWorker;
import dev.heddle.thread.worker.WorkerThreads;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// Threads for computations, which would otherwise hold the loop until they are done.
///
/// {@snippet class=dev.heddle.snippets.ThreadSnippetsTest region=pool}
///
/// A task runs outside the loop: it must not use data that coroutines share, and its result is
/// passed by reference. Calls of `Heddle` fail in it, unless the pool runs
/// [coroutines][ThreadPoolOptions#withCoroutines]. Tasks start in the order of submission. When all
/// threads are busy and the queue is full, the submitter waits.
///
/// **Cancelled** a task that has not started never does. One that runs is interrupted, and should
/// check for that ([Thread#interrupted()]); as a coroutine it is cancelled. Its result or failure
/// is dropped. A task is cancelled through its future, and when the last coroutine that awaits the
/// future is cancelled during that wait. A task whose future no coroutine awaits continues.
/// **Failure** of a task fails its future; its thread runs the next task.
///
/// **Thread** the loop on which it was created. The pool ends with its loop at the latest: tasks
/// that run then are interrupted, or cancelled.
///
/// @since 0.1
public final class ThreadPool implements AutoCloseable {
  /*
   * A pool has present workers, and former ones: those that a reload has replaced, until their
   * tasks are done. A submitter takes a permit, and its task then goes to the workers that are
   * present at that moment, without a suspension in between. Former workers have a pill behind
   * their last task, and their tasks release no permits (PoolPermits).
   *
   * I1. Every task that was submitted runs once, or its future fails, however often the pool is
   *     reloaded. [ThreadPoolReloadTest]
   * I2. A task runs on workers with the options of its submission. [ThreadPoolReloadTest]
   *
   * Rejected. Queued tasks that move to the new workers: their submitter has seen the old options,
   * and has waited for a permit of the old workers.
   */
  private final Scheduler home;
  private final LoopRuntime loop;
  private final PoolPermits permits;

  // loop only
  private ThreadPoolOptions options;
  private WorkerThreads threads;
  private final List<WorkerThreads> former = new ArrayList<>();
  private int generation; // of the present workers
  private boolean closed;

  /// A pool of the current loop with a thread for each processor.
  ///
  /// @throws IllegalStateException outside a coroutine
  public ThreadPool() {
    this(ThreadPoolOptions.defaults());
  }

  /// A pool of the current loop with space in its queue for one task for each thread.
  ///
  /// @param workers the most threads, at least 1; one is started only when the others are busy
  /// @throws IllegalStateException outside a coroutine
  public ThreadPool(int workers) {
    this(ThreadPoolOptions.defaults().withWorkers(workers));
  }

  /// A pool of the current loop.
  ///
  /// @param name of its threads, and for reports
  /// @param workers the most threads, at least 1; one is started only when the others are busy
  /// @param capacity the most tasks that wait for a thread, not negative
  /// @throws IllegalStateException outside a coroutine
  public ThreadPool(String name, int workers, int capacity) {
    this(ThreadPoolOptions.defaults().withName(name).withWorkers(workers).withCapacity(capacity));
  }

  /// A pool of the current loop.
  ///
  /// @throws IllegalStateException outside a coroutine
  /// @since 0.1
  public ThreadPool(ThreadPoolOptions options) {
    CoroutineNode<?> self = CoroutineNode.current();
    this.home = self.scheduler();
    this.loop = LoopRuntime.of(self);
    this.options = Objects.requireNonNull(options, "options");
    this.permits = new PoolPermits(home, options.permits(), () -> "a place in " + info());
    this.threads = open(options);
  }

  private WorkerThreads open(ThreadPoolOptions with) {
    int own = generation;
    Runnable whenEnded = () -> ended(own);
    BlockingPools all = loop.blockingPools();
    if (with.isForCoroutines()) {
      LoopWorker body = new LoopWorker(loop.options(), with);
      long stackSize = loop.options().stackSize();
      return all.open(with.name(), with.workers(), body, stackSize, whenEnded);
    }
    PlainWorker body = new PlainWorker(with.initializer());
    return all.open(with.name(), with.workers(), body, 0, whenEnded);
  }

  // in a tick
  private void ended(int of) {
    if (of == generation) {
      permits.release();
    }
  }

  // ---- reloading ----

  /// Replaces the threads by new ones with the same options, so that each runs its
  /// [initializer][ThreadPoolOptions#withInitializer] again. Otherwise as
  /// [#reload(ThreadPoolOptions)].
  ///
  /// @throws PoolClosedException when the pool is closed
  /// @throws IllegalStateException when the pool belongs to another loop
  /// @since 0.1
  public void reload() {
    reload(options);
  }

  /// Replaces the threads by new ones with other options. The tasks that were submitted before run
  /// on the old threads, to their end. Those that are submitted from now on run on the new ones,
  /// and do not wait for the old tasks; so do the submitters that wait for space in the queue, in
  /// their order. **Suspends** never.
  ///
  /// {@snippet class=dev.heddle.snippets.ThreadSnippetsTest region=reload}
  ///
  /// Until the old tasks are done, both the old and the new threads exist. Since a thread starts
  /// with a task, several reloads without a task in between start no more threads than one.
  ///
  /// @throws PoolClosedException when the pool is closed
  /// @throws IllegalStateException when the pool belongs to another loop
  /// @since 0.1
  public void reload(ThreadPoolOptions changed) {
    Objects.requireNonNull(changed, "options");
    var _ = current();
    StackGuard.requireRoom();
    generation++;
    WorkerThreads replaced = threads;
    threads = open(changed);
    options = changed;
    retire(replaced);
    permits.renew(changed.permits());
  }

  private void retire(WorkerThreads replaced) {
    former.add(replaced);
    InlineCallback forget = (event, result, error) -> former.remove(replaced);
    replaced.gone().subscribe(forget);
    replaced.finish();
  }

  // ---- submitting ----

  /// Submits a task. **Suspends** while the queue is full, first come, first served.
  ///
  /// @throws PoolClosedException when the pool is closed, also during the wait
  /// @throws IllegalStateException when the pool belongs to another loop
  public <T extends @Nullable Object> Future<T> submit(Callable<T> task) {
    CoroutineNode<?> self = current();
    if (!permits.tryAcquire()) {
      permits.acquire(self, Deadline.never(), null);
    }
    return begin(task);
  }

  /// Submits a task, but waits no longer than a deadline for space in the queue. Otherwise as
  /// [#submit(Callable)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public <T extends @Nullable Object> Future<T> submit(Callable<T> task, Deadline deadline) {
    CoroutineNode<?> self = current();
    if (!permits.tryAcquire()) {
      permits.acquire(self, deadline, null);
    }
    return begin(task);
  }

  /// Submits a task, but waits for space in the queue no longer than until `token` fires. Otherwise
  /// as [#submit(Callable)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public <T extends @Nullable Object> Future<T> submit(Callable<T> task, Awaitable<?> token) {
    CoroutineNode<?> self = current();
    if (!permits.tryAcquire()) {
      permits.acquire(self, Deadline.never(), EventSource.of(token));
    }
    return begin(task);
  }

  private CoroutineNode<?> current() {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != home) {
      throw new IllegalStateException(
          "the pool '" + name() + "' belongs to another loop; make one on each loop that needs it");
    }
    checkOpen();
    return self;
  }

  private void checkOpen() {
    if (closed) {
      throw new PoolClosedException(
          "the pool '" + name() + "' is closed; submit before that, or open a new one");
    }
  }

  /// Called with a permit.
  private <T extends @Nullable Object> Future<T> begin(Callable<T> task) {
    OffloadedCall offloadedCall;
    Future<T> future;
    WorkerThreads workers = threads;
    try {
      checkOpen();
      offloadedCall = callOf(task);
      Awaitable<T> end = offloadedCall::done;
      // an interrupt takes a JDK lock, so it is left to the trampoline
      future = Future.ofWork(end, c -> home.runOnCarrier(() -> workers.cancel(offloadedCall, c)));
    } catch (Throwable e) {
      permits.release();
      throw e;
    }
    workers.submit(offloadedCall);
    return future;
  }

  private OffloadedCall callOf(Callable<?> task) {
    String what = "a task of the pool '" + name() + "'";
    return options.isForCoroutines()
        ? OffloadedCall.cancelledByItsWorker(home, what, LoopWorker.inScope(task))
        : new OffloadedCall(home, what, task);
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
      return Await.<R>of(submitting).all().values();
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
    end();
    for (WorkerThreads each : all()) {
      each.refuseQueued(new Cancellation("the pool '" + name() + "' was cancelled"));
      each.finish();
    }
  }

  /// Accepts no more tasks, and waits until all are done and the threads have ended. **Suspends**
  /// while there are any. **Cancelled** the tasks are cancelled, too.
  @Override
  public void close() {
    home.checkOnLoop();
    end();
    List<WorkerThreads> all = all();
    all.forEach(WorkerThreads::finish);
    try {
      for (WorkerThreads each : all) {
        home.await(each.gone());
      }
    } catch (Cancellation c) {
      all.forEach(each -> each.cancelAll(c));
      throw c;
    } catch (WaitCancelledException interrupted) {
      Cancellation why = new Cancellation("close() of the pool '" + name() + "' was interrupted");
      all.forEach(each -> each.cancelAll(why));
      throw interrupted;
    }
  }

  // a task that never ends frees no permit, so submitters must not wait for one
  private void end() {
    StackGuard.requireRoom();
    closed = true;
    permits.grantAll();
  }

  /// The present workers and the former ones.
  private List<WorkerThreads> all() {
    List<WorkerThreads> all = new ArrayList<>(former);
    all.add(threads);
    return all;
  }

  // ---- views ----

  /// Whether it accepts no more tasks.
  public boolean isClosed() {
    return closed;
  }

  /// The current number of threads: none before the first task, none after the end. Threads that a
  /// reload has replaced count until they have ended.
  public int workers() {
    return all().stream().mapToInt(WorkerThreads::live).sum();
  }

  /// One line for reports: the number of threads, tasks and waiting submitters.
  public String info() {
    int old = former.stream().mapToInt(WorkerThreads::outstanding).sum();
    return "the pool '"
        + name()
        + "', "
        + threads.live()
        + " of "
        + options.workers()
        + " threads, "
        + threads.outstanding()
        + " tasks, "
        + permits.waiting()
        + " waiting to submit"
        + (old == 0 ? "" : ", " + old + " tasks from before a reload");
  }

  private String name() {
    return options.name();
  }

  @Override
  public String toString() {
    return info();
  }
}
