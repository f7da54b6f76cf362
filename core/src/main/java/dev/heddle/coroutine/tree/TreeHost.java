// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import dev.heddle.Registration;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.observe.WaitSnapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// All that a tree of coroutines asks of the loop that runs it. So the tree knows neither the life
/// of a loop nor its diagnostics, which both know the tree.
///
/// **Thread** the loop's, unless a method says otherwise.
public interface TreeHost {
  /// Whether the loop has been asked to stop.
  boolean isStopping();

  /// Whether the shutdown deadline is over: no shield holds any more, and every wait throws.
  boolean isPastDeadline();

  /// A coroutine is about to join the tree. Throws nothing but what the end of the stack throws.
  void spawned(Coroutine<?> coroutine);

  /// A coroutine has ended.
  void ended(Coroutine<?> coroutine);

  /// The last coroutine has ended.
  void allHaveEnded();

  /// A member of the root scope failed, and no code awaits or handles that.
  void rootFailed(Throwable failure);

  /// The JVM or the runtime itself failed.
  void failed(Throwable failure);

  /// Reports a failure that no code of the program will get. **Thread** any; never waits.
  void report(String what, @Nullable Throwable failure);

  /// A coroutine goes on although it was cancelled and its grace period is over.
  void gracePeriodEnded(CancellableCoroutine late, Cancellation unheeded);

  /// A coroutine, or the loop, now waits for the cancelled members of a scope: reports those that
  /// have not ended by the end of the grace period.
  ///
  /// @return to be closed when the wait is over
  Registration reportOverdue(ScopeNode scope);

  /// What a coroutine waits for.
  List<WaitSnapshot> waitsOf(CoroutineNode<?> coroutine);
}
