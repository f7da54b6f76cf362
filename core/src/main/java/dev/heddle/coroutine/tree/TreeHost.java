// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import dev.heddle.Registration;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.observe.WaitSnapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The interface through which a coroutine tree uses its loop. So the tree depends neither on the
/// life cycle of a loop nor on its diagnostics, which both depend on the tree.
///
/// **Thread** the loop's, unless a method says otherwise.
public interface TreeHost {
  boolean isStopping();

  /// Whether the shutdown deadline has passed: shields have no effect, and every wait throws.
  boolean isPastDeadline();

  /// Called when a coroutine is about to join the tree. Throws nothing but a stack overflow.
  void spawned(Coroutine<?> coroutine);

  void ended(Coroutine<?> coroutine);

  void allHaveEnded();

  /// Called when a member of the root scope failed, unobserved and unhandled.
  void rootFailed(Throwable failure);

  void failed(Throwable failure);

  /// Reports an unobserved failure. **Thread** any; never waits.
  void report(String what, @Nullable Throwable failure);

  void gracePeriodEnded(CancellableCoroutine late, Cancellation unheeded);

  /// Called when a coroutine, or the loop, begins to wait for the cancelled members of a scope:
  /// reports those that have not ended by the end of the grace period.
  ///
  /// @return to be closed when the wait is over
  Registration reportOverdue(ScopeNode scope);

  List<WaitSnapshot> waitsOf(CoroutineNode<?> coroutine);
}
