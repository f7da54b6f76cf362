// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The subscription of an inflow to its publisher: comes on any thread, perhaps when the inflow has
/// ended.
///
/// **Thread** any.
final class Upstream {
  /*
   * I1. A subscription that was offered is used, or is cancelled, whatever comes first.
   *     [UpstreamStress, InflowTest]
   *
   * Memory order. offer() writes `subscription`, then reads `ended`. end() writes `ended`, then the
   * caller reads `subscription`. All are volatile accesses, so in one total order: one of the two
   * sees the other's write, and cancels (Dekker). Both may; a second cancel() does nothing (rule
   * 3.7). Mutant: UpstreamStress.AsksTooSoon.
   */
  private final AtomicReference<Flow.@Nullable Subscription> subscription = new AtomicReference<>();
  private volatile boolean ended;

  /// Takes the first subscription, unless the inflow has ended. Cancels any other (rule 2.5).
  ///
  /// @return whether it was taken
  boolean offer(Flow.Subscription offered) {
    if (!subscription.compareAndSet(null, offered) || ended) {
      offered.cancel();
      return false;
    }
    return true;
  }

  Flow.@Nullable Subscription get() {
    return subscription.get();
  }

  /// No subscription is taken from now on. One that was taken is left to the caller.
  void end() {
    ended = true;
  }

  boolean hasEnded() {
    return ended;
  }
}
