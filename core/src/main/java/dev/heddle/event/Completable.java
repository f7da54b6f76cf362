// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.Cancellation;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Something that ends once, with a result, a failure or a cancellation, and keeps how it ended.
///
/// Every awaiter, also a later one, gets the same result or the same throwable. **Thread** its
/// loop's; from elsewhere use [#toCompletableFuture()], taken on the loop.
///
/// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=completable}
///
/// @param <T> what it ends with when it succeeds
/// @since 0.1
public interface Completable<T extends @Nullable Object> extends Awaitable<T> {
  /// Waits for the end. **Suspends** unless it has ended already; then it costs no switch and
  /// allocates nothing.
  ///
  /// @return what it ended with
  /// @throws Cancellation when it was cancelled, or the waiting coroutine is
  /// @throws dev.heddle.CoroutineException when it failed with a checked exception; unchecked ones
  ///   and errors come as they are
  /// @throws IllegalStateException when it belongs to another loop
  T await();

  /// Waits for the end, but not beyond a deadline; what is waited for goes on. Else as [#await()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  T await(Deadline deadline);

  /// Waits for the end, but not beyond the moment in which `token` fires; what is waited for goes
  /// on. Else as [#await()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first, however it fires
  T await(Awaitable<?> token);

  /// Cancels it, with a reason. Else as [#cancel(Cancellation)].
  void cancel(String why);

  /// Cancels it; the first cancellation counts, and one that has ended is left as it is.
  /// **Suspends** never.
  void cancel(Cancellation c);

  /// Whether it has ended.
  boolean isDone();

  /// Whether it was cancelled.
  boolean isCancelled();

  /// What it ended with; null before its end and after a failure. **Suspends** never.
  @Nullable T result();

  /// What it failed or was cancelled with; null before its end and after a success. **Suspends**
  /// never.
  @Nullable Throwable failure();

  /// Its end as a future of the JDK, which other threads may use, also when the loop has ended.
  /// Cancelling that one cancels nothing here.
  ///
  /// A failure is then that future's: it fails no scope. Whoever gets it thrown by `get` or `join`,
  /// or makes another future or stage of it, takes it. When the future is garbage and nobody has,
  /// the failure is logged; not if the JVM ends before it is collected.
  CompletableFuture<T> toCompletableFuture();
}
