// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.LoopEndedException;
import dev.heddle.event.source.ExportedFuture;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.event.source.UnobservedOutcomes;
import dev.heddle.event.source.UnobservedOutcomes.Label;
import org.jspecify.annotations.Nullable;

/// Completes a JDK future, whose dependents are user code, with the outcome of a future.
final class FutureExport<T extends @Nullable Object>
    implements InlineCallback, UnobservedOutcomes.Waiting {
  private final Future<T> future;
  final ExportedFuture<T> exported;

  FutureExport(Future<T> future, Label label) {
    this.future = future;
    this.exported = new ExportedFuture<>(future.home().futures(), label);
  }

  @Override
  public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
    event.unsubscribe(this); // so that the exported future can become garbage before the other
    future.home().notifyLater(this::deliver);
  }

  @SuppressWarnings("NullAway") // null exactly when the future's T allows it
  void deliver() {
    future.home().futures().remove(this);
    future.observe();
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
          new LoopEndedException(future.describe() + " was not completed when its loop ended"));
    }
  }
}
