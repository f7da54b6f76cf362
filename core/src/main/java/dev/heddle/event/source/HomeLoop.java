// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.scheduler.context.ExecutionContext;
import org.jspecify.annotations.Nullable;

/// A loop, as its events use it.
public interface HomeLoop {
  /// The loop of the current coroutine; null on any other thread.
  static @Nullable HomeLoop current() {
    ExecutionContext context = ExecutionContext.current();
    return context != null && context.host() instanceof HomeLoop home ? home : null;
  }

  void eventArmed();

  void eventDisarmed();

  /// Runs a notification with user code later, as a short coroutine; in the order of the calls.
  void notifyLater(Runnable notification);

  /// A fresh reading of the clock that the loop's timers use. **Thread** any.
  long nanoTime();

  /// Whether the current thread is the carrier or a coroutine of this loop.
  boolean isOnLoop();

  /// Throws if the current thread is neither the carrier nor a coroutine of this loop.
  void checkOnLoop();

  /// Throws if there is not enough stack for an operation that must not stop half-way.
  void requireStack();

  /// Makes the current coroutine wait until `event` fires.
  ///
  /// @return the value that it fires with
  /// @throws IllegalStateException outside a coroutine, or when the event belongs to another loop
  @Nullable Object await(EventSource event);

  /// The same, at most until the deadline; then it throws a [dev.heddle.DeadlineException].
  @Nullable Object await(EventSource event, Deadline deadline);

  /// The same, at most until `token` fires; then it throws a [dev.heddle.WaitCancelledException].
  @Nullable Object await(EventSource event, Awaitable<?> token);

  UnobservedOutcomes futures();
}
