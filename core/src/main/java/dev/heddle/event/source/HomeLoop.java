// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.scheduler.context.ExecutionContext;
import org.jspecify.annotations.Nullable;

/// The loop, seen from its events.
public interface HomeLoop {
  /// The loop of the coroutine that the current thread is, or null on any other thread.
  static @Nullable HomeLoop current() {
    ExecutionContext context = ExecutionContext.current();
    return context != null && context.host() instanceof HomeLoop home ? home : null;
  }

  /// An event that keeps the loop alive was armed.
  void eventArmed();

  /// An event that keeps the loop alive was disarmed.
  void eventDisarmed();

  /// Runs a notification that meets user code, later, as a short coroutine; in the order of the
  /// calls.
  void notifyLater(Runnable notification);

  /// The loop's time, read anew: what its timers go by. **Thread** any.
  long nanoTime();

  /// Whether the current thread is the carrier or a coroutine of this loop.
  boolean isOnLoop();

  /// Refuses a caller that is not on this loop.
  ///
  /// @throws IllegalStateException when the current thread is neither the carrier nor a coroutine
  ///   of this loop
  void checkOnLoop();

  /// Refuses to begin what must not stop half-way.
  ///
  /// @throws StackOverflowError when the stack is about to end
  void requireStack();

  /// Waits, as the current coroutine, until `event` fires.
  ///
  /// @return what it fires with
  /// @throws IllegalStateException outside a coroutine, or when the event belongs to another loop
  @Nullable Object await(EventSource event);

  /// Waits, as the current coroutine, until `event` fires, but not beyond a deadline. Else as
  /// [#await(EventSource)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  @Nullable Object await(EventSource event, Deadline deadline);

  /// Waits, as the current coroutine, until `event` fires, but not beyond the moment in which
  /// `token` fires. Else as [#await(EventSource)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  @Nullable Object await(EventSource event, Awaitable<?> token);

  /// Where its futures are accounted for.
  UnobservedOutcomes futures();
}
