// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.Cancellation;
import dev.heddle.event.source.EventSource;
import dev.heddle.reactor.RemoteEvent;
import dev.heddle.scheduler.Scheduler;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/// A call for a worker thread, and its end as an event of the loop. [CallTask] describes how it is
/// cancelled.
public final class OffloadedCall {
  private final CallTask task;
  private final RemoteEvent done;

  private OffloadedCall(Scheduler scheduler, String info, CallTask task) {
    this.task = task;
    this.done = new RemoteEvent(scheduler, scheduler.inbox(), info);
  }

  /// Work that has not begun, for a thread, which is interrupted if the call is cancelled.
  ///
  /// @param info describes the call in dumps
  public OffloadedCall(Scheduler scheduler, String info, Callable<?> call) {
    this(scheduler, info, CallTask.interrupted(call));
  }

  /// Work that has not begun, for a worker that says how it is cancelled, by [#cancelBy].
  ///
  /// @param info describes the call in dumps
  public static OffloadedCall cancelledByItsWorker(
      Scheduler scheduler, String info, Callable<?> call) {
    return new OffloadedCall(scheduler, info, CallTask.cancelled(call));
  }

  /// Fires when the call has really ended, also when it was cancelled long before.
  public EventSource done() {
    return done;
  }

  /// Whether the call has thrown this, as opposed to the wait for it.
  public boolean hasThrown(Throwable failure) {
    return done.hasFailedWith(failure);
  }

  /// Called on the worker, before [#run()].
  ///
  /// @param how called when the call is cancelled from now on, by any thread, perhaps after its end
  public void cancelBy(Consumer<Throwable> how) {
    task.cancelBy(how);
  }

  /// Called on the worker.
  public void run() {
    task.run();
    switch (task.state()) {
      case SUCCESS -> done.complete(task.resultNow(), null);
      case FAILED -> done.complete(null, task.exceptionNow());
      case CANCELLED, RUNNING -> done.complete(null, new Cancellation("the call was cancelled"));
    }
  }

  /// Keeps the call from beginning, or tells it. Takes a JDK lock for a moment.
  void cancel(Throwable why) {
    task.cancel(why);
  }

  /// Completes the work with a failure instead of running it; no effect if it is complete.
  /// **Thread** any.
  public void refuse(Throwable why) {
    task.cancel(false);
    done.complete(null, why);
  }
}
