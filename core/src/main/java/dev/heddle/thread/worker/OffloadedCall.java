// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.Cancellation;
import dev.heddle.event.source.EventSource;
import dev.heddle.reactor.RemoteEvent;
import dev.heddle.scheduler.Scheduler;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/// A call for a worker thread, and its end as an event of the loop.
///
/// The JDK's `FutureTask` provides the difficult guarantees: a cancelled call that has not begun
/// never does, one that runs is interrupted, and the interrupt never reaches the next call.
public final class OffloadedCall {
  private final FutureTask<@Nullable Object> task;
  private final RemoteEvent done;

  /// Work that has not begun.
  ///
  /// @param info describes the call in dumps
  public OffloadedCall(Scheduler scheduler, String info, Callable<?> call) {
    this.task = new FutureTask<>(call::call);
    this.done = new RemoteEvent(scheduler, scheduler.inbox(), info);
  }

  /// Fires when the call has really ended, also when it was cancelled long before.
  public EventSource done() {
    return done;
  }

  /// Whether the call has thrown this, as opposed to the wait for it.
  public boolean hasThrown(Throwable failure) {
    return done.hasFailedWith(failure);
  }

  /// Called on the worker thread.
  void run() {
    task.run();
    switch (task.state()) {
      case SUCCESS -> done.complete(task.resultNow(), null);
      case FAILED -> done.complete(null, task.exceptionNow());
      case CANCELLED, RUNNING -> done.complete(null, new Cancellation("the call was cancelled"));
    }
  }

  /// Keeps the call from beginning, or interrupts it. Takes a JDK lock for a moment.
  void cancel() {
    task.cancel(true);
  }

  /// Completes the work with a failure instead of running it.
  void refuse(Throwable why) {
    task.cancel(false);
    done.complete(null, why);
  }
}
