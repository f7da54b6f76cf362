// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.Cancellation;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.failure.CrossThreadTraces;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.Waker;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// Runs blocking calls for the coroutines of one loop on threads of its own.
public final class OffloadPool {
  static final int LOOKUPS = 16; // a dead name server holds these for seconds, and no other calls

  static final int PATHS = 16; // they share a disk
  static final int LOCKS = 4; // they only poll

  private final Scheduler scheduler;
  private final WorkerThreads threads;
  private final boolean interrupts;

  /// A pool over a group of threads.
  ///
  /// @param interrupts whether a running call is interrupted when its caller no longer waits
  OffloadPool(Scheduler scheduler, WorkerThreads threads, boolean interrupts) {
    this.scheduler = scheduler;
    this.threads = threads;
    this.interrupts = interrupts;
  }

  /// Runs `call` on a thread of the pool while the current coroutine waits. When the wait ends
  /// early, the outcome is dropped: a call that has not begun never does, and one that has is
  /// interrupted if the pool interrupts.
  public @Nullable Object run(Waker self, Callable<?> call) {
    Objects.requireNonNull(call, "call");
    return run(self, "an offloaded " + call.getClass().getName(), call);
  }

  /// Runs a call as the other method does.
  ///
  /// @param what describes the call in dumps
  public @Nullable Object run(Waker self, String what, Callable<?> call) {
    OffloadedCall offloadedCall = new OffloadedCall(scheduler, what, call);
    threads.submit(offloadedCall);
    try {
      self.renew();
      self.resumeWhen(offloadedCall.done());
      return scheduler.suspend(self);
    } catch (Throwable e) {
      if (offloadedCall.hasThrown(e)) {
        CrossThreadTraces.appendCallerTrace(e);
      }
      throw e;
    } finally {
      if (!offloadedCall.done().isClosed()) {
        abandon(offloadedCall);
      }
    }
  }

  /// Runs `call` on a thread of the pool without a waiting coroutine. Called on the trampoline.
  ///
  /// @param whenDone called when the call has ended, in a tick
  public void submit(String what, Callable<?> call, InlineCallback whenDone) {
    OffloadedCall offloadedCall = new OffloadedCall(scheduler, what, call);
    offloadedCall.done().subscribe(whenDone);
    threads.submit(offloadedCall);
  }

  private void abandon(OffloadedCall offloadedCall) {
    Cancellation why = new Cancellation("its caller no longer waits for it");
    if (interrupts) {
      threads.cancel(offloadedCall, why);
    } else {
      threads.withdraw(offloadedCall, why);
    }
  }
}
