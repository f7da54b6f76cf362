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

/// The right to complete a future of a loop, once, from any thread.
///
/// {@snippet class=dev.heddle.snippets.ThreadSnippetsTest region=remote}
///
/// The value crosses by reference. A wait for it counts as one for the outside world: the loop does
/// not take it for a deadlock, however long it lasts.
///
/// *Memory consistency*: what a thread did before it completed the promise is visible to the
/// coroutines that get the value.
///
/// **Thread** any, but for its making and [#future()], which are the loop's. **Suspends** never.
///
/// @param <T> what it is completed with
/// @since 0.1
public final class RemotePromise<T extends @Nullable Object> {
  private final Scheduler home;
  private final String what;
  private final RemoteEvent arrival;
  private final Future<T> future;

  // written by who completes it, for the error that the next one gets
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

  /// What the coroutines of its loop get; always the same one.
  public Future<T> future() {
    return future;
  }

  /// Completes the future with a value. Where a reader has cancelled it, or its loop has ended,
  /// nobody gets it.
  ///
  /// @throws IllegalStateException when it was completed before
  public void complete(T value) {
    if (!claimed(arrival.complete(value, null))) {
      throw completedBefore();
    }
  }

  /// Completes the future with a failure; a [dev.heddle.Cancellation] makes it a cancelled one.
  /// Else as [#complete].
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
  /// @return whether somebody may get it: false when it comes second, is not wanted any more, or
  ///   the loop has ended
  public boolean tryComplete(T value) {
    return claimed(arrival.complete(value, null)) && isWanted();
  }

  /// Completes the future with a failure, unless it was completed before.
  ///
  /// @return whether somebody may get it: false when it comes second, is not wanted any more, or
  ///   the loop has ended
  public boolean tryFail(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    return claimed(arrival.complete(null, failure)) && isWanted();
  }

  /// Whether it was completed. The loop may not know yet.
  public boolean isDone() {
    return arrival.isCompleted();
  }

  /// Whether a reader has cancelled the future: nobody needs the value any more.
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
            + "; complete a promise once, or ask by tryComplete");
  }

  @Override
  public String toString() {
    return what;
  }
}
