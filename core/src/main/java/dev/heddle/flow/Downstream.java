// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The subscriber of a subscription. It is taken out of here for each signal, so it gets one at a
/// time.
///
/// **Thread** any.
final class Downstream<T> {
  /*
   * States.
   *   from   event      to     who
   *   HERE   take()     TAKEN  the caller, which alone may call the subscriber now
   *   TAKEN  putBack()  HERE   the same, after onSubscribe() or onNext()
   * After a terminal signal, and after cancel(), the subscriber is not put back (rule 3.13).
   *
   * The end of the loop. The coroutine that serves the subscription puts the subscriber back, and
   * then reads whether the loop has ended. When the loop has ended without that coroutine, another
   * thread takes the subscriber, to signal the end. So that thread gets it, or the coroutine, which
   * then sees the end, takes it again: one of the two signals the end.
   *
   * I1. No two signals run at a time, and one terminal signal is sent, however the loop ends.
   *     [DownstreamStress, FlowsTest]
   *
   * Memory order. Coroutine: putBack(), then read `ended` of the scheduler. Other thread: `ended`
   * was written, then take(). All are volatile accesses, so in one total order: if take() finds
   * nothing, putBack() comes later, and the coroutine reads the end (Dekker). Mutant:
   * DownstreamStress.AsksTooSoon.
   *
   * Cost. Two atomic writes for each item.
   */
  private final AtomicReference<Flow.@Nullable Subscriber<? super T>> idle;

  Downstream(Flow.Subscriber<? super T> subscriber) {
    this.idle = new AtomicReference<>(subscriber);
  }

  /// Takes the subscriber; null: a signal runs, or nothing more is to be signalled.
  Flow.@Nullable Subscriber<? super T> take() {
    return idle.getAndSet(null);
  }

  /// Allows the next signal. The caller reads then whether the loop has ended.
  void putBack(Flow.Subscriber<? super T> subscriber) {
    idle.set(subscriber);
  }
}
