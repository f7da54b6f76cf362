// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.LoopEndedException;
import dev.heddle.event.source.ExportedFuture;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.event.source.UnobservedOutcomes;
import dev.heddle.event.source.UnobservedOutcomes.Label;
import org.jspecify.annotations.Nullable;

/// Completes a JDK future, whose dependents are user code, with the outcome of a future.
final class FutureExport<T extends @Nullable Object>
    implements InlineCallback, UnobservedOutcomes.Waiting {
  private final Completable<T> future;
  private final HomeLoop home;
  private final Runnable observe;
  final ExportedFuture<T> exported;

  /// @param observe called when the outcome is passed on
  FutureExport(Completable<T> future, HomeLoop home, Runnable observe, Label label) {
    this.future = future;
    this.home = home;
    this.observe = observe;
    this.exported = new ExportedFuture<>(home.futures(), label);
  }

  @Override
  public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
    event.unsubscribe(this); // so that the exported future can become garbage before the other
    home.notifyLater(this::deliver);
  }

  @SuppressWarnings("NullAway") // null exactly when the future's T allows it
  void deliver() {
    home.futures().remove(this);
    observe.run();
    Throwable failure = future.failure();
    if (failure == null) {
      exported.complete(future.result());
    } else {
      exported.fail(failure);
    }
  }

  @Override
  public void loopEnded() {
    if (future.isDone()) {
      deliver();
    } else {
      exported.completeExceptionally(
          new LoopEndedException(future + " was not completed when its loop ended"));
    }
  }
}
