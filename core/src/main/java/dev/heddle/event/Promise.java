// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.Cancellation;
import dev.heddle.event.source.HomeLoop;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The right to complete a [Future], once.
///
/// **Thread** created and completed on its loop only; other threads complete a `RemotePromise`.
/// **Suspends** never.
///
/// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=promise}
///
/// @param <T> the type of the value
/// @since 0.1
public final class Promise<T extends @Nullable Object> {
  private final Future<T> future;

  /// Creates a promise of the current loop.
  ///
  /// @throws IllegalStateException outside a coroutine
  public Promise() {
    this.future = Future.promised(loop(), null);
  }

  /// Creates a promise of the current loop, with a name for dumps and reports.
  ///
  /// @throws IllegalStateException outside a coroutine
  public Promise(String name) {
    this.future = Future.promised(loop(), Objects.requireNonNull(name, "name"));
  }

  private static HomeLoop loop() {
    HomeLoop loop = HomeLoop.current();
    if (loop == null) {
      throw new IllegalStateException(
          "a promise was made outside a coroutine; make it inside Heddle.run, where its readers"
              + " are, or make a RemotePromise there, which any thread may complete");
    }
    loop.checkOnLoop();
    return loop;
  }

  /// The future for its readers; always the same object.
  public Future<T> future() {
    return future;
  }

  /// Completes the future with a value. Has no effect if a reader has cancelled the future.
  ///
  /// @throws IllegalStateException when this promise was completed before, or on another thread
  ///   than its loop's
  public void complete(T value) {
    if (!tryComplete(value) && !future.isWithdrawn()) {
      throw completedBefore();
    }
  }

  /// Completes the future with a failure; a [Cancellation] cancels it. If a reader has cancelled
  /// the future, the failure is reported instead.
  ///
  /// @throws IllegalStateException when this promise was completed before, or on another thread
  ///   than its loop's
  public void fail(Throwable failure) {
    if (tryFail(failure)) {
      return;
    }
    if (!future.isWithdrawn()) {
      throw completedBefore();
    }
    if (!(failure instanceof Cancellation)) {
      future
          .home()
          .futures()
          .unobserved("a failure arrived after the cancellation of " + future, failure);
    }
  }

  /// Completes the future with a value, unless it is complete.
  ///
  /// @return false if it was complete already
  /// @throws IllegalStateException on another thread than its loop's
  public boolean tryComplete(T value) {
    checkMayComplete();
    return future.succeed(value, future.home().futures().callSite(null));
  }

  /// Completes the future with a failure, unless it is complete.
  ///
  /// @return false if it was complete already
  /// @throws IllegalStateException on another thread than its loop's
  public boolean tryFail(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    checkMayComplete();
    return future.fail(failure, future.home().futures().callSite(null));
  }

  /// Whether the future is complete, by this promise or by a reader's cancellation.
  public boolean isDone() {
    return future.isDone();
  }

  /// Whether a reader has cancelled the future: the value is no longer needed.
  public boolean isCancelled() {
    return future.isWithdrawn();
  }

  private void checkMayComplete() {
    if (!future.home().isOnLoop()) {
      throw new IllegalStateException(
          ("%s was to be completed on %s; a promise is completed on its loop only, a RemotePromise"
                  + " from any thread")
              .formatted(future, Thread.currentThread()));
    }
    future.home().requireStack(); // room to notify the waiters after completion
  }

  private IllegalStateException completedBefore() {
    return new IllegalStateException(
        "%s is already completed at %s; complete a promise once, or ask by tryComplete"
            .formatted(future, future.completedSite()));
  }

  @Override
  public String toString() {
    return "the promise of " + future;
  }
}
