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

/// A coroutine: plain blocking code with a stack of its own, which runs on its loop's thread.
///
/// **Thread** its loop's; for other threads call [#toCompletableFuture()] on the loop.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=coroutine}
///
/// @param <T> the type of its body's result
/// @since 0.1
public interface Coroutine<T extends @Nullable Object> extends Completable<T> {
  /// Waits for the end. **Suspends** unless it has ended already; then it costs no switch and
  /// allocates nothing.
  ///
  /// If a coroutine is waiting when this one fails, the failure counts as observed and does not
  /// fail the scope. Every awaiter, also a later one, gets the same throwable.
  ///
  /// @return what the body returned
  /// @throws Cancellation when this coroutine was cancelled, or the waiting one is
  /// @throws dev.heddle.CoroutineException when the body threw a checked exception; unchecked ones
  ///   and errors come as they are
  /// @throws IllegalStateException when it awaits itself, or belongs to another loop
  @Override
  T await();

  /// Waits for the end, at most until the deadline; the coroutine then continues. Else as
  /// [#await()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline expires first
  @Override
  T await(Deadline deadline);

  /// Waits for the end, at most until `token` fires; the coroutine then continues. Else as
  /// [#await()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first, even by failing
  @Override
  T await(Awaitable<?> token);

  /// Cancels it, with a reason. Else as [#cancel(Cancellation)].
  @Override
  void cancel(String why);

  /// Cancels it. A coroutine that has not started never runs its body; a waiting one throws `c`
  /// from its wait; a running one throws it at its next suspension point. Only the first
  /// cancellation has an effect, and none after the end. **Suspends** never.
  @Override
  void cancel(Cancellation c);

  /// Whether it has ended.
  @Override
  boolean isDone();

  /// Whether it was cancelled, even if it is already done.
  @Override
  boolean isCancelled();

  /// Whether its body has begun.
  boolean isStarted();

  /// Whether it is in the ready queue.
  boolean isQueued();

  /// Whether it has begun, has not ended, and does not run right now.
  boolean isSuspended();

  /// Its result; null before its end and after a failure. **Suspends** never.
  @Override
  @Nullable T result();

  /// Its failure or cancellation; null before its end and after a success. **Suspends** never.
  @Override
  @Nullable Throwable failure();

  /// The events it waits for on the loop, any of which wakes it; empty when it does not wait, or
  /// waits in the JDK. **Suspends** never.
  List<WaitSnapshot> waits();

  /// Its number, unique in its loop.
  long id();

  /// Its name; if it was given none, `coroutine-7`, for example.
  String name();

  /// Gives it high priority from the next time it is queued: it runs before all coroutines of
  /// normal priority, but at most 64 of high priority run in a row.
  ///
  /// @return this
  Coroutine<T> setHighPriority();

  /// Calls `handler` each time the coroutine enters or leaves its thread, until the handler returns
  /// false. Handlers are called in the order of their addition.
  ///
  /// @throws IllegalStateException inside one of its switch handlers
  void addSwitchHandler(SwitchHandler handler);

  /// Removes `handler`.
  ///
  /// @return whether it was one of its switch handlers
  /// @throws IllegalStateException inside one of its switch handlers: return false there
  boolean removeSwitchHandler(SwitchHandler handler);

  /// Calls `handler` when it has ended, with a result, a failure or a cancellation; if it has ended
  /// already, directly in this call.
  ///
  /// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=completion}
  void onCompletion(CompletionHandler<? super Coroutine<T>> handler);

  /// Its own values, which no other coroutine inherits. A lookup continues in its scope's context.
  /// May be read after its end.
  Context ownContext();

  /// Its outcome as a future, for other threads. Cancelling the future does not cancel the
  /// coroutine. A failure goes to the future and does not fail the scope;
  /// [Completable#toCompletableFuture()] says when it is reported.
  @Override
  CompletableFuture<T> toCompletableFuture();
}
