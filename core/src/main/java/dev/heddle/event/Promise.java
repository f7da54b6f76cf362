// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.Cancellation;
import dev.heddle.event.source.HomeLoop;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The right to complete a [Future], once.
///
/// **Thread** made and completed on its loop only; another thread completes a `RemotePromise`.
/// **Suspends** never.
///
/// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=promise}
///
/// @param <T> what it is completed with
/// @since 0.1
public final class Promise<T extends @Nullable Object> {
  private final Future<T> future;

  /// A promise of the current loop.
  ///
  /// @throws IllegalStateException outside a coroutine
  public Promise() {
    this.future = Future.promised(loop(), null);
  }

  /// A promise of the current loop, with a name for dumps and reports.
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

  /// What its readers get; always the same one.
  public Future<T> future() {
    return future;
  }

  /// Completes the future with a value. One that a reader has cancelled stays as it is.
  ///
  /// @throws IllegalStateException when this promise was completed before, or on another thread
  ///   than its loop's
  public void complete(T value) {
    if (!tryComplete(value) && !future.isWithdrawn()) {
      throw completedBefore();
    }
  }

  /// Completes the future with a failure; a [Cancellation] makes it a cancelled one. When a reader
  /// has cancelled it, the failure is reported instead.
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
          .unobserved("a failure came after the cancellation of " + future, failure);
    }
  }

  /// Completes the future with a value, unless it is done.
  ///
  /// @return whether it was not
  /// @throws IllegalStateException on another thread than its loop's
  public boolean tryComplete(T value) {
    checkMayComplete();
    return future.succeed(value, future.home().futures().callSite(null));
  }

  /// Completes the future with a failure, unless it is done.
  ///
  /// @return whether it was not
  /// @throws IllegalStateException on another thread than its loop's
  public boolean tryFail(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    checkMayComplete();
    return future.fail(failure, future.home().futures().callSite(null));
  }

  /// Whether the future is done, by this promise or by a reader's cancellation.
  public boolean isDone() {
    return future.isDone();
  }

  /// Whether a reader has cancelled the future: nobody needs the value any more.
  public boolean isCancelled() {
    return future.isWithdrawn();
  }

  private void checkMayComplete() {
    if (!future.home().isOnLoop()) {
      throw new IllegalStateException(
          future
              + " was to be completed on "
              + Thread.currentThread()
              + "; a promise is completed on its loop only, a RemotePromise from any thread");
    }
    future.home().requireStack(); // completed, it must tell those who wait
  }

  private IllegalStateException completedBefore() {
    return new IllegalStateException(
        future
            + " is already completed at "
            + future.completedAt()
            + "; complete a promise once, or ask by tryComplete");
  }

  @Override
  public String toString() {
    return "the promise of " + future;
  }
}
