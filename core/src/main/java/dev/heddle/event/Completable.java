// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.Cancellation;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Something that ends once, with a result, a failure or a cancellation, and keeps that outcome.
///
/// Every awaiter, also a later one, gets the same result or the same throwable. **Thread** its
/// loop's; for other threads call [#toCompletableFuture()] on the loop.
///
/// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=completable}
///
/// @param <T> the type of its result
/// @since 0.1
public interface Completable<T extends @Nullable Object> extends Awaitable<T> {
  /// Waits for the end. **Suspends** unless it has ended already; then it costs no switch and
  /// allocates nothing.
  ///
  /// @return the result
  /// @throws Cancellation when it was cancelled, or the waiting coroutine is
  /// @throws dev.heddle.CoroutineException when it failed with a checked exception; unchecked ones
  ///   and errors come as they are
  /// @throws IllegalStateException when it belongs to another loop
  T await();

  /// Waits for the end, at most until the deadline; the awaited operation then continues. Else as
  /// [#await()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline expires first
  T await(Deadline deadline);

  /// Waits for the end, at most until `token` fires; the awaited operation then continues. Else as
  /// [#await()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first, even by failing
  T await(Awaitable<?> token);

  /// Cancels it, with a reason. Else as [#cancel(Cancellation)].
  void cancel(String why);

  /// Cancels it. Only the first cancellation has an effect, and none after the end. **Suspends**
  /// never.
  void cancel(Cancellation c);

  /// Whether it has ended.
  boolean isDone();

  /// Whether it was cancelled.
  boolean isCancelled();

  /// Its result; null before its end and after a failure. **Suspends** never.
  @Nullable T result();

  /// Its failure or cancellation; null before its end and after a success. **Suspends** never.
  @Nullable Throwable failure();

  /// Its outcome as a JDK future, which other threads may use, also after the loop has ended.
  /// Cancelling the future does not cancel this.
  ///
  /// A failure then goes to the future and fails no scope. It is observed when `get` or `join`
  /// throws it, or when another future or stage is derived from the future. If the future becomes
  /// garbage before that, the failure is logged; not if the JVM ends before it is collected.
  CompletableFuture<T> toCompletableFuture();
}
