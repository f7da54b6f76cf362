// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// The futures that a program gets for processes of other nodes. Their dependent stages run on a
/// thread of their own: the thread that takes what other nodes say must not wait for them.
final class CallerFutures {
  /*
   * Each completion has a thread of its own, so a stage that waits keeps back its own future only.
   * When no thread can be made, the completion waits for one: see RetryingExecutor.
   *
   * Cost. What waits inside this library, as `ask` and the commands of steps do, has the inner
   * future, and no such thread.
   *
   * Order. None between different futures.
   *
   * Rejected. One thread for all completions: a stage that waits for another future would wait for
   * ever. The common pool itself: it has one thread on two processors.
   */
  private CallerFutures() {}

  /// A future that completes as another one does, on a thread of its own. Completing or cancelling
  /// it cancels the other one.
  ///
  /// @param threads runs each task on a thread of its own
  /// @return the future itself, when it is complete
  static <T extends @Nullable Object> CompletableFuture<T> of(
      CompletableFuture<T> inner, Executor threads) {
    if (inner.isDone()) {
      return inner;
    }
    CompletableFuture<T> outer = new CompletableFuture<>();
    var _ =
        inner.whenComplete((result, failure) -> {
          if (!outer.isDone()) { // else it was given up
            threads.execute(() -> complete(outer, result, failure));
          }
        });
    var _ = outer.whenComplete((_, _) -> inner.cancel(false));
    return outer;
  }

  private static <T extends @Nullable Object> void complete(
      CompletableFuture<T> outer, T result, @Nullable Throwable failure) {
    var _ = failure == null ? outer.complete(result) : outer.completeExceptionally(failure);
  }
}
