// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.Cancellation;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.failure.AnotherThread;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.Waker;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// Runs blocking calls for the coroutines of one loop on threads of its own.
public final class OffloadPool {
  static final int LOOKUPS = 16; // a dead name server holds these for seconds, and nobody else

  static final int PATHS = 16; // they share a disk
  static final int LOCKS = 4; // they only ask

  private final Scheduler scheduler;
  private final WorkerThreads threads;
  private final boolean interrupts;

  /// A pool.
  ///
  /// @param interrupts whether a call that has begun is interrupted when nobody waits for it
  OffloadPool(Scheduler scheduler, WorkerThreads threads, boolean interrupts) {
    this.scheduler = scheduler;
    this.threads = threads;
    this.interrupts = interrupts;
  }

  /// Runs `call` on a thread of the pool while the current coroutine waits. When the wait ends
  /// early, a call that has not begun never does, one that has is interrupted if the pool does
  /// that, and its outcome is dropped.
  public @Nullable Object run(Waker self, Callable<?> call) {
    Objects.requireNonNull(call, "call");
    return run(self, "an offloaded " + call.getClass().getName(), call);
  }

  /// The same.
  ///
  /// @param what it is, for dumps
  public @Nullable Object run(Waker self, String what, Callable<?> call) {
    Work work = new Work(scheduler, what, call);
    threads.submit(work);
    try {
      self.renew();
      self.resumeWhen(work.done());
      return scheduler.suspend(self);
    } catch (Throwable e) {
      if (work.hasThrown(e)) {
        AnotherThread.calledFromHere(e);
      }
      throw e;
    } finally {
      if (!work.done().isClosed()) {
        leave(work);
      }
    }
  }

  /// Runs `call` on a thread of the pool; no coroutine waits for it. On the trampoline.
  ///
  /// @param whenDone told of its end, in a tick
  public void submit(String what, Callable<?> call, InlineCallback whenDone) {
    Work work = new Work(scheduler, what, call);
    work.done().subscribe(whenDone);
    threads.submit(work);
  }

  private void leave(Work work) {
    Cancellation why = new Cancellation("nobody waits for it any more");
    if (interrupts) {
      threads.cancel(work, why);
    } else {
      threads.withdraw(work, why);
    }
  }
}
