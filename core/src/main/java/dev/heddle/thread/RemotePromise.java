// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import dev.heddle.Cancellation;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Future;
import dev.heddle.reactor.RemoteEvent;
import dev.heddle.scheduler.Scheduler;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A promise that any thread can complete, once, for a future of a loop.
///
/// {@snippet class=dev.heddle.snippets.ThreadSnippetsTest region=remote}
///
/// The value crosses by reference. A wait for it counts as a wait for the outside world: however
/// long it lasts, the loop does not take it for a deadlock.
///
/// *Memory consistency*: what a thread did before it completed the promise is visible to the
/// coroutines that get the value.
///
/// **Thread** any, except the constructor and [#future()], which need the loop. **Suspends** never.
///
/// @param <T> the type of the value
/// @since 0.1
public final class RemotePromise<T extends @Nullable Object> {
  private final Scheduler home;
  private final String what;
  private final RemoteEvent arrival;
  private final Future<T> future;

  // written by the thread that completes the promise, for the exception of a later call
  private volatile @Nullable String completedBy;

  // written on the loop, read by any thread
  private volatile boolean cancelled;

  /// A promise of the current loop.
  ///
  /// @throws IllegalStateException outside a coroutine
  public RemotePromise() {
    this(null, CoroutineNode.current().scheduler());
  }

  /// A promise of the current loop, with a name for dumps.
  ///
  /// @throws IllegalStateException outside a coroutine
  public RemotePromise(String name) {
    this(Objects.requireNonNull(name, "name"), CoroutineNode.current().scheduler());
  }

  private RemotePromise(@Nullable String name, Scheduler home) {
    this.home = home;
    this.what = name == null ? "a remote promise" : "the remote promise '" + name + "'";
    this.arrival = new RemoteEvent(home, home.inbox(), what);
    Awaitable<T> source = () -> arrival;
    Consumer<Cancellation> whenCancelled = _ -> cancelled = true;
    this.future =
        name == null ? Future.of(source, whenCancelled) : Future.of(name, source, whenCancelled);
  }

  /// The future for the coroutines of the loop; always the same one.
  public Future<T> future() {
    return future;
  }

  /// Completes the future with a value. If the future was cancelled, or its loop has ended, the
  /// value is dropped.
  ///
  /// @throws IllegalStateException when it was completed before
  public void complete(T value) {
    if (!claimed(arrival.complete(value, null))) {
      throw completedBefore();
    }
  }

  /// Completes the future with a failure; a [dev.heddle.Cancellation] makes it a cancelled one.
  /// Otherwise as [#complete].
  ///
  /// @throws IllegalStateException when it was completed before
  public void fail(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    if (!claimed(arrival.complete(null, failure))) {
      throw completedBefore();
    }
  }

  /// Completes the future with a value, unless it was completed before.
  ///
  /// @return whether a coroutine may get the value: false when the promise was completed before,
  ///   the future was cancelled, or the loop has ended
  public boolean tryComplete(T value) {
    return claimed(arrival.complete(value, null)) && isWanted();
  }

  /// Completes the future with a failure, unless it was completed before.
  ///
  /// @return whether a coroutine may get the failure: false when the promise was completed before,
  ///   the future was cancelled, or the loop has ended
  public boolean tryFail(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    return claimed(arrival.complete(null, failure)) && isWanted();
  }

  /// Whether it was completed, even if the loop has not seen that yet.
  public boolean isDone() {
    return arrival.isCompleted();
  }

  /// Whether the future was cancelled, so that the value is no longer needed.
  public boolean isCancelled() {
    return cancelled;
  }

  private boolean isWanted() {
    return !cancelled && !home.hasEnded();
  }

  private boolean claimed(boolean first) {
    if (first) {
      completedBy = Thread.currentThread().getName();
    }
    return first;
  }

  private IllegalStateException completedBefore() {
    String by = completedBy;
    return new IllegalStateException(
        what
            + " is already completed by the thread "
            + (by == null ? "that came first" : by)
            + "; complete a promise once, or use tryComplete");
  }

  @Override
  public String toString() {
    return what;
  }
}
