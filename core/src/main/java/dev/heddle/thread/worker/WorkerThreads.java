// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.Registration;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.scheduler.LoopThreads;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Threads that run calls for one loop. An idle thread is used before another is started; a thread
/// that stays idle ends.
public final class WorkerThreads {
  /*
   * The loop counts, and the threads take calls from one shared queue, so a thread that is done
   * takes the next call without the loop. The loop starts threads, based on two sets:
   * `outstanding`, the calls whose end has not arrived, and `threads`, the threads whose end has
   * not arrived. While there are no more calls than threads, one thread is idle or is about to take
   * the next call, so no thread needs to be started.
   *
   * States of a thread.
   *   from     event                         to       who
   *   -        grow()                        SERVING  the loop
   *   SERVING  idle for long, pill, closed   LEAVING  the thread: posts its end, and ends
   *   LEAVING  the end arrives               -        the loop: starts another thread for a call
   *                                                   that was queued meanwhile
   * States of the group.
   *   OPEN     finish()   FINISHING  the loop: queues a pill for each thread, behind all calls
   *   any      close()    CLOSED     the carrier: drops queued calls, runs the actions of
   *                                  onClose(), interrupts all threads
   *
   * What a thread does with its calls is up to its body: PlainWorker runs one after the other. A
   * body that runs several at a time gets a thread for each call, too, until all threads have
   * started: so the calls are spread over the threads. It must not end, except by a pill, while it
   * runs calls, since the loop counts on it for calls that are queued.
   *
   * Threads. Everything on the loop, except serve() and QueuedCalls, which are the threads'.
   *
   * I1. There are never more than `maxThreads` threads. [WorkerThreadsTest]
   * I2. A thread takes every queued call, also when all threads were ending as it was queued, or
   *     have failed. [WorkerThreadsTest]
   * I3. If each thread runs one call at a time, one is started only when none is idle. No thread is
   *     started when no call is queued. [WorkerThreadsTest]
   *
   * Memory order. The queue publishes a call to its thread; the inbox publishes its end to the
   * loop. onClose() adds its action, and then reads `closed`; close() writes `closed`, and then
   * reads the actions. All are volatile accesses, so in one total order: one of the two sees the
   * other's write, and the action runs (Dekker).
   *
   * Cost. A call: a queue node, and its end in the inbox; no lock on the loop's side. A JDK
   * executor starts a thread for each call until it has reached its core size, whether threads are
   * idle or not, and takes a lock to do so.
   *
   * Rejected. A handover to idle threads only (a synchronous queue): the end of a call arrives
   * before its thread takes the next, so a loop that submits one call after the other would
   * sometimes start a second thread.
   *
   * Sources. T17.
   */
  private static final long IDLE_SECONDS = 10;
  private static final Object POISON_PILL = new Object(); // ends one thread

  private final Scheduler scheduler;
  private final ThreadFactory factory;
  private final int maxThreads;
  private final WorkerBody body;
  private final QueuedCalls calls = new QueuedCalls();
  private final Runnable whenEnded;
  private final long idleNanos;
  private final LinkedTransferQueue<Object> queue =
      new LinkedTransferQueue<>(); // Work, or POISON_PILL
  private final AllThreadsEnded allThreadsEnded;

  // loop only
  private final Set<Thread> threads = new HashSet<>();
  private final Set<OffloadedCall> outstanding = new HashSet<>();
  private boolean finishing;

  // the carrier writes, the threads read
  private volatile boolean closed;

  // the threads add and remove, the carrier reads
  private final Queue<Runnable> closeActions = new ConcurrentLinkedQueue<>();

  /// A group without threads, which run one call after the other.
  ///
  /// @param name of the threads, before their number
  /// @param whenEnded called on the loop, in a tick, when a call has ended; lock-free
  public WorkerThreads(Scheduler scheduler, String name, int most, Runnable whenEnded) {
    this(scheduler, name, most, new PlainWorker(() -> {}), 0, whenEnded);
  }

  /// A group without threads.
  ///
  /// @param body what each of them does
  /// @param stackSize of each, in bytes; 0: the JVM's default
  public WorkerThreads(
      Scheduler scheduler,
      String name,
      int most,
      WorkerBody body,
      long stackSize,
      Runnable whenEnded) {
    this(scheduler, name, most, body, stackSize, whenEnded, TimeUnit.SECONDS.toNanos(IDLE_SECONDS));
  }

  WorkerThreads(
      Scheduler scheduler,
      String name,
      int maxThreads,
      WorkerBody body,
      long stackSize,
      Runnable whenEnded,
      long idleNanos) {
    this.scheduler = scheduler;
    this.maxThreads = maxThreads;
    this.body = body;
    this.whenEnded = whenEnded;
    ThreadFactory onLoop = LoopThreads.of(scheduler, name + "-");
    this.idleNanos = onLoop == null ? idleNanos : Long.MAX_VALUE; // an idle one costs nothing there
    this.allThreadsEnded = new AllThreadsEnded(name);
    // a thread that is created inside a coroutine must not inherit the coroutine's thread-locals
    this.factory =
        onLoop != null
            ? onLoop
            : Thread.ofPlatform()
                .daemon()
                .inheritInheritableThreadLocals(false)
                .stackSize(stackSize)
                .name(name + "-", 1)
                .factory();
  }

  // ---- the loop's side ----

  /// The number of threads whose end has not arrived.
  public int live() {
    return threads.size();
  }

  /// The number of calls whose end has not arrived.
  public int outstanding() {
    return outstanding.size();
  }

  /// Queues a call.
  ///
  /// @throws IllegalStateException after [#finish()] or the end of the loop
  public void submit(OffloadedCall offloadedCall) {
    if (finishing || closed) {
      throw new IllegalStateException("a call was submitted to worker threads that are ending");
    }
    InlineCallback whenDone = (event, result, error) -> ended(offloadedCall);
    offloadedCall.done().subscribe(whenDone);
    outstanding.add(offloadedCall);
    queue.add(offloadedCall);
    grow();
  }

  private void grow() {
    while (outstanding.size() > threads.size() && threads.size() < maxThreads && !closed) {
      try {
        start();
      } catch (OutOfMemoryError e) {
        // the system provides no more threads; the existing ones, if any, run all calls
        if (threads.isEmpty()) {
          refuseQueued(e);
        }
        return;
      }
    }
  }

  private void start() {
    ThreadEnded threadEnded = new ThreadEnded();
    Thread thread = factory.newThread(() -> serve(threadEnded));
    threadEnded.thread = thread;
    thread.start();
    threads.add(thread);
  }

  private void ended(OffloadedCall offloadedCall) {
    outstanding.remove(offloadedCall);
    whenEnded.run();
  }

  /// Cancels a call: a queued one never begins and ends with `why`, a running one is interrupted.
  /// Takes a JDK lock for a moment, so not in a tick.
  public void cancel(OffloadedCall offloadedCall, Throwable why) {
    if (!withdraw(offloadedCall, why)) {
      offloadedCall.cancel(why);
    }
  }

  /// Cancels a queued call: it never begins, and ends with `why`. A running one continues.
  ///
  /// @return whether it was queued
  public boolean withdraw(OffloadedCall offloadedCall, Throwable why) {
    boolean queued = !scheduler.hasEnded() && queue.remove(offloadedCall);
    if (queued) {
      offloadedCall.refuse(why);
    }
    return queued;
  }

  /// Cancels all calls that have not ended. Otherwise as [#cancel].
  public void cancelAll(Throwable why) {
    refuseQueued(why); // first, so that no thread takes them when it becomes free
    List.copyOf(outstanding).forEach(offloadedCall -> cancel(offloadedCall, why));
  }

  /// Completes the queued calls with a failure instead of running them.
  public void refuseQueued(Throwable why) {
    for (Object next : queue) {
      // the loop or the thread that removes the call from the queue completes it
      if (next instanceof OffloadedCall offloadedCall && queue.remove(offloadedCall)) {
        offloadedCall.refuse(why);
      }
    }
  }

  /// Ends the threads when the queued calls are done; no more may be submitted.
  public void finish() {
    if (!finishing) {
      finishing = true;
      for (int i = 0; i < threads.size(); i++) {
        queue.add(POISON_PILL);
      }
      allThreadsEnded.notifySubscribers(); // there may be no thread left to report it
    }
  }

  /// Fires when the last thread has ended, after [#finish()].
  public EventSource gone() {
    return allThreadsEnded;
  }

  /// The loop has ended: drops the queued calls, interrupts the running ones.
  public void close() {
    closed = true;
    queue.clear();
    closeActions.forEach(Runnable::run);
    threads.forEach(Thread::interrupt);
  }

  // ---- the threads' side ----

  private void serve(ThreadEnded threadEnded) {
    try {
      body.run(calls);
    } finally {
      scheduler.inbox().post(threadEnded);
    }
  }

  private final class QueuedCalls implements WorkerBody.Calls {
    @Override
    public @Nullable OffloadedCall next(BooleanSupplier mayEnd) throws InterruptedException {
      while (!closed) {
        Object next = queue.poll(idleNanos, TimeUnit.NANOSECONDS);
        if (next instanceof OffloadedCall offloadedCall) {
          return offloadedCall;
        }
        if (next != null || mayEnd.getAsBoolean()) {
          return null;
        }
      }
      return null;
    }

    @Override
    public boolean isClosed() {
      return closed;
    }

    @Override
    public Registration onClose(Runnable action) {
      closeActions.add(action);
      if (closed) {
        action.run();
      }
      return () -> closeActions.remove(action);
    }
  }

  private final class ThreadEnded extends Inbox.Node {
    private @Nullable Thread thread;

    @Override
    public void onArrival() {
      threads.remove(thread);
      // while the group is finishing, the pills are behind all calls
      if (queue.peek() instanceof OffloadedCall) {
        // starting a thread takes JDK locks
        scheduler.runOnCarrier(WorkerThreads.this::grow);
      }
      allThreadsEnded.notifySubscribers();
    }
  }

  private final class AllThreadsEnded extends EventSource {
    private final String name;

    AllThreadsEnded(String name) {
      super(scheduler);
      this.name = name;
    }

    void notifySubscribers() {
      if (isClosed()) {
        settled();
        fire(null, null);
      }
    }

    @Override
    public boolean isClosed() {
      return finishing && threads.isEmpty();
    }

    @Override
    public boolean isDaemon() {
      return false;
    }

    @Override
    public String info() {
      return "the end of the " + threads.size() + " threads of " + name;
    }
  }
}
