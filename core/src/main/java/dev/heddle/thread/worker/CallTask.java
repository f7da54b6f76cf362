// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A call that another thread may cancel: one that has not begun never does, and one that runs is
/// told, by an interrupt of its thread, or in another way that its worker names.
///
/// The JDK's `FutureTask` provides the difficult guarantees: the interrupt never reaches the next
/// call of the thread.
final class CallTask extends FutureTask<@Nullable Object> {
  /*
   * With a canceller of its own, a call is cancelled in two steps: the canceller marks the task,
   * and then reads `canceller`. The worker writes `canceller`, and then run() reads the mark. All
   * four accesses are volatile, so one of the two reads sees the other's write (Dekker): either the
   * call does not begin, or its canceller is called. [CallTaskStress]
   *
   * Rejected. An interrupt for a call in a coroutine: it does not reach the coroutines that the
   * call has started, and does not end what the coroutine waits for in Heddle.
   */
  private final boolean interrupts;

  // written by the worker before the call begins, read by the thread that cancels
  private volatile @Nullable Consumer<Throwable> canceller;

  private CallTask(Callable<?> call, boolean interrupts) {
    super(call::call);
    this.interrupts = interrupts;
  }

  /// A call whose thread is interrupted when it is cancelled.
  static CallTask interrupted(Callable<?> call) {
    return new CallTask(call, true);
  }

  /// A call whose worker says how it is cancelled.
  static CallTask cancelled(Callable<?> call) {
    return new CallTask(call, false);
  }

  /// Called on the worker, before [#run()].
  ///
  /// @param how called at each attempt to cancel the call from now on, by any thread, perhaps after
  ///   its end
  void cancelBy(Consumer<Throwable> how) {
    canceller = how;
  }

  /// Keeps the call from beginning, or tells it. Takes a JDK lock for a moment.
  void cancel(Throwable why) {
    cancel(interrupts);
    Consumer<Throwable> told = canceller;
    if (told != null) {
      told.accept(why);
    }
  }
}
