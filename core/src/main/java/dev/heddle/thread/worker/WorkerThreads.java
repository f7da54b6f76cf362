// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.event.EventCallback;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.context.PlatformThreadState;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Threads that run calls for one loop. An idle one is used before another one is started; one that
/// stays idle leaves.
public final class WorkerThreads {
  /*
   * The loop counts, the threads pull. Calls go through one queue, so a thread that is done takes the next one without asking the
   * loop. The loop starts threads, by two sets of its own: `outstanding`, the calls whose end has not arrived, and `threads`,
   * those whose leaving has not arrived. While there are no more calls than threads, one of them is idle, or will ask for the next call before
   * it does anything else: nothing to start.
   *
   * States of a thread.  from     event                             to       who
   *                      -        grow()                            SERVING  loop
   *                      SERVING  idle for long, a pill, closed     LEAVING  itself: posts its leaving, and ends
   *                      LEAVING  the leaving arrives               -        loop: there is one less, and a call that was queued for
   *                                                                          the one that left gets another one
   * States of the group. OPEN     finish()   FINISHING  loop: a pill for each thread, behind all calls
   *                      any      close()    CLOSED     carrier: queued calls are dropped, all threads interrupted
   *
   * Threads. Everything on the loop but serve() and next().
   *
   * I1. There are never more than `most`. [WorkerThreadsTest]
   * I2. A call that is queued is taken by a thread, also when all were leaving as it came. [WorkerThreadsTest]
   * I3. A thread is started only when none is idle. [WorkerThreadsTest]
   *
   * Memory order. The queue publishes a call to its thread, the inbox its end to the loop.
   *
   * Cost. A call: a queue node and its end in the inbox; no lock on the loop's side. An executor of the JDK starts a thread for
   * each call until it has its core size, idle ones or not, and takes its lock for it.
   *
   * Rejected. A handover to idle threads only (a synchronous queue): the end of a call arrives before its thread asks for the next,
   * so a loop that submits one after the other would start a second thread, now and then.
   *
   * Sources. DESIGN 3.9; promise T17.
   */
  private static final long IDLE_SECONDS = 10;
  private static final Object PILL = new Object(); // lets one thread go

  private final Scheduler scheduler;
  private final ThreadFactory factory;
  private final int most;
  private final Runnable whenEnded;
  private final long idleNanos;
  private final LinkedTransferQueue<Object> queue = new LinkedTransferQueue<>(); // Work, or PILL
  private final Gone gone;

  // loop only
  private final Set<Thread> threads = new HashSet<>();
  private final Set<Work> outstanding = new HashSet<>();
  private boolean finishing;

  // the carrier writes, the threads read
  private volatile boolean closed;

  /// No threads yet.
  ///
  /// @param name of the threads, before their number
  /// @param most how many there are at any time
  /// @param whenEnded called on the loop, in a tick, when a call has ended; lock-free
  public WorkerThreads(Scheduler scheduler, String name, int most, Runnable whenEnded) {
    this(scheduler, name, most, whenEnded, TimeUnit.SECONDS.toNanos(IDLE_SECONDS));
  }

  WorkerThreads(Scheduler scheduler, String name, int most, Runnable whenEnded, long idleNanos) {
    this.scheduler = scheduler;
    this.most = most;
    this.whenEnded = whenEnded;
    this.idleNanos = idleNanos;
    this.gone = new Gone(name);
    // made from inside a coroutine, they must not inherit what is bound to it
    this.factory =
        Thread.ofPlatform()
            .daemon()
            .inheritInheritableThreadLocals(false)
            .name(name + "-", 1)
            .factory();
  }

  // ---- the loop's side ----

  /// Threads whose end has not arrived.
  public int live() {
    return threads.size();
  }

  /// Calls whose end has not arrived.
  public int outstanding() {
    return outstanding.size();
  }

  /// Queues a call.
  ///
  /// @throws IllegalStateException when no more was to come
  public void submit(Work work) {
    if (finishing || closed) {
      throw new IllegalStateException("a call was submitted to worker threads that are ending");
    }
    InlineCallback whenDone = (event, result, error) -> ended(work);
    work.done().subscribe(whenDone);
    outstanding.add(work);
    queue.add(work);
    grow();
  }

  private void grow() {
    while (outstanding.size() > threads.size() && threads.size() < most && !closed) {
      try {
        start();
      } catch (OutOfMemoryError e) {
        // the system gives no more threads; those that are there, if any, do it all
        if (threads.isEmpty()) {
          refuseQueued(e);
        }
        return;
      }
    }
  }

  private void start() {
    Leaving leaving = new Leaving();
    Thread thread = factory.newThread(() -> serve(leaving));
    leaving.thread = thread;
    thread.start();
    threads.add(thread);
  }

  private void ended(Work work) {
    outstanding.remove(work);
    whenEnded.run();
  }

  /// Cancels a call: one that is queued never begins and ends with `why`, one that runs is
  /// interrupted. Takes a lock of the JDK's for a moment: not for a tick.
  public void cancel(Work work, Throwable why) {
    if (!withdraw(work, why)) {
      work.cancel();
    }
  }

  /// Cancels a call that is queued: it never begins, and ends with `why`. One that runs goes on.
  ///
  /// @return whether it was queued
  public boolean withdraw(Work work, Throwable why) {
    boolean queued = !scheduler.hasEnded() && queue.remove(work);
    if (queued) {
      work.refuse(why);
    }
    return queued;
  }

  /// Cancels all that have not ended. Else as [#cancel].
  public void cancelAll(Throwable why) {
    refuseQueued(why); // first: no thread that becomes free takes them
    List.copyOf(outstanding).forEach(work -> cancel(work, why));
  }

  /// Ends what is queued with a failure, instead of running it.
  public void refuseQueued(Throwable why) {
    for (Object next : queue) {
      // who takes it out, this loop or a thread, has it
      if (next instanceof Work work && queue.remove(work)) {
        work.refuse(why);
      }
    }
  }

  /// Lets the threads go when they have done what is queued; no more is to come.
  public void finish() {
    if (!finishing) {
      finishing = true;
      for (int i = 0; i < threads.size(); i++) {
        queue.add(PILL);
      }
      gone.tell(); // there may have been none
    }
  }

  /// Fires when the last thread has gone, after [#finish()].
  public EventSource gone() {
    return gone;
  }

  /// The loop has ended: drops what is queued, interrupts what runs.
  public void close() {
    closed = true;
    queue.clear();
    threads.forEach(Thread::interrupt);
  }

  // ---- the threads' side ----

  private void serve(Leaving leaving) {
    try {
      PlatformThreadState own = new PlatformThreadState(Thread.currentThread());
      for (Work work = next(); work != null; work = next()) {
        work.run();
        own.restore(); // what this call was sent, or has left, is not the next one's
      }
    } finally {
      scheduler.inbox().post(leaving);
    }
  }

  private @Nullable Work next() {
    while (!closed) {
      try {
        return queue.poll(idleNanos, TimeUnit.NANOSECONDS) instanceof Work work ? work : null;
      } catch (InterruptedException _) {
        // safe: close() sends one, and is seen; else it came too late for the call it was meant for
      }
    }
    return null;
  }

  /// A thread says that it is on its way out.
  private final class Leaving extends Inbox.Node {
    private @Nullable Thread thread;

    @Override
    public void arrive() {
      threads.remove(thread);
      if (outstanding.size() > threads.size()) {
        // starting a thread takes locks of the JDK's
        scheduler.onTrampoline(WorkerThreads.this::grow);
      }
      gone.tell();
    }
  }

  /// The end of the last thread.
  private final class Gone extends EventSource {
    private final String name;

    Gone(String name) {
      super(scheduler);
      this.name = name;
    }

    void tell() {
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
    public boolean isHidden() {
      return false;
    }

    @Override
    public void replay(EventCallback callback) {
      if (!isClosed()) {
        super.replay(callback);
      }
      callback.onEvent(this, null, null);
    }

    @Override
    public String info() {
      return "the end of the " + threads.size() + " threads of " + name;
    }
  }
}
