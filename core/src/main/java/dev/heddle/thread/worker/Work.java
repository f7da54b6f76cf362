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
/// The JDK's `FutureTask` does the delicate part: a cancelled call that has not begun never does,
/// one that runs is interrupted, and no interrupt outlives the call it was meant for.
public final class Work {
  private final FutureTask<@Nullable Object> task;
  private final RemoteEvent done;

  /// Work that nobody has begun.
  ///
  /// @param info what it is, for dumps
  public Work(Scheduler scheduler, String info, Callable<?> call) {
    this.task = new FutureTask<>(call::call);
    this.done = new RemoteEvent(scheduler, scheduler.inbox(), info);
  }

  /// Its end: fires when the call has really ended, also when it was cancelled long before.
  public EventSource done() {
    return done;
  }

  /// Whether this is what the call has thrown, and not the wait for it.
  public boolean hasThrown(Throwable failure) {
    return done.hasFailedWith(failure);
  }

  /// On the worker thread.
  void run() {
    task.run();
    switch (task.state()) {
      case SUCCESS -> done.complete(task.resultNow(), null);
      case FAILED -> done.complete(null, task.exceptionNow());
      case CANCELLED, RUNNING -> done.complete(null, new Cancellation("the call was cancelled"));
    }
  }

  /// Keeps it from beginning, or interrupts it. Takes a lock of the JDK's for a moment.
  void cancel() {
    task.cancel(true);
  }

  /// Ends it with a failure instead of running it.
  void refuse(Throwable why) {
    task.cancel(false);
    done.complete(null, why);
  }
}
