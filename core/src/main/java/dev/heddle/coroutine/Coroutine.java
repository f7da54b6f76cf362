// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.Cancellation;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Completable;
import dev.heddle.event.Deadline;
import dev.heddle.observe.WaitSnapshot;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A running piece of plain blocking code: a stack of its own on the loop's thread.
///
/// **Thread** its loop's; from elsewhere use [#toCompletableFuture()], taken on the loop.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=coroutine}
///
/// @param <T> what its body returns
/// @since 0.1
public interface Coroutine<T extends @Nullable Object> extends Completable<T> {
  /// Waits for the end. **Suspends** unless it has ended already; then it costs no switch and
  /// allocates nothing.
  ///
  /// Whoever waits when the coroutine fails takes the failure: its scope then goes on. Every
  /// awaiter, also a later one, gets the same throwable.
  ///
  /// @return what the body returned
  /// @throws Cancellation when the coroutine was cancelled, or the waiting one is
  /// @throws dev.heddle.CoroutineException when the body threw a checked exception; unchecked ones
  ///   and errors come as they are
  /// @throws IllegalStateException when it awaits itself, or belongs to another loop
  @Override
  T await();

  /// Waits for the end, but not beyond a deadline; the coroutine itself goes on. Else as
  /// [#await()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  @Override
  T await(Deadline deadline);

  /// Waits for the end, but not beyond the moment in which `token` fires; the coroutine itself goes
  /// on. Else as [#await()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first, however it fires
  @Override
  T await(Awaitable<?> token);

  /// Cancels it, with a reason. Else as [#cancel(Cancellation)].
  @Override
  void cancel(String why);

  /// Cancels it: one that has not started never runs its body, one that waits throws `c` there, one
  /// that runs throws it at its next suspension point. The first cancellation counts; one that has
  /// ended is left as it is. **Suspends** never.
  @Override
  void cancel(Cancellation c);

  /// Whether it has ended.
  @Override
  boolean isDone();

  /// Whether somebody has cancelled it, be it done or not.
  @Override
  boolean isCancelled();

  /// Whether its body has begun.
  boolean isStarted();

  /// Whether it is in the ready queue.
  boolean isQueued();

  /// Whether it has begun, has not ended, and does not run right now.
  boolean isSuspended();

  /// What it returned; null before its end and after a failure. **Suspends** never.
  @Override
  @Nullable T result();

  /// What it failed or was cancelled with; null before its end and after a success. **Suspends**
  /// never.
  @Override
  @Nullable Throwable failure();

  /// The events it waits for on the loop, any of which wakes it; empty when it does not wait, or
  /// waits in the JDK. **Suspends** never.
  List<WaitSnapshot> waits();

  /// Its number, unique in its loop.
  long id();

  /// Its name; `coroutine-7` when it was given none.
  String name();

  /// Runs before all coroutines of normal priority from the next time it is queued; at most 64 in a
  /// row.
  ///
  /// @return this
  Coroutine<T> setHighPriority();

  /// Calls `handler` each time it leaves and enters its thread, after the handlers that were added
  /// before, until the handler returns false.
  ///
  /// @throws IllegalStateException inside one of its switch handlers
  void addSwitchHandler(SwitchHandler handler);

  /// Calls `handler` no more.
  ///
  /// @return whether it was one of its switch handlers
  /// @throws IllegalStateException inside one of its switch handlers: there, return false
  boolean removeSwitchHandler(SwitchHandler handler);

  /// Calls `handler` when it has ended, however it ended; at once, in place, when it has.
  ///
  /// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=completion}
  void onCompletion(CompletionHandler<? super Coroutine<T>> handler);

  /// Its own values, which nobody inherits; what is not there is looked for in its scope's. Can be
  /// read after its end, too.
  Context ownContext();

  /// Its end as a future, which other threads may use. Cancelling the future does not cancel the
  /// coroutine. The future takes its failure, also when nobody ever looks at it: it fails no scope
  /// then, and is reported nowhere.
  @Override
  CompletableFuture<T> toCompletableFuture();
}
