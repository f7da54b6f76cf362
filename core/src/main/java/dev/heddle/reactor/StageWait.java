// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.CoroutineFailure;
import dev.heddle.event.source.EventSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// The waits of a loop's coroutines for one stage of another library, which share one registration
/// there. Each closes it when it is over.
public final class StageWait implements AutoCloseable {
  private final StageWaits all;
  private final CompletionStage<?> stage;
  private final RemoteEvent done;
  private final CompletableFuture<@Nullable Object> over = new CompletableFuture<>();

  // loop only
  private int waiting;

  /// Registers with the stage, which may run its code here.
  StageWait(StageWaits all, CompletionStage<?> stage, RemoteEvent done) {
    this.all = all;
    this.stage = stage;
    this.done = done;
    CompletionStage<?> first =
        stage instanceof CompletableFuture<?> future
            ? CompletableFuture.anyOf(future, over)
            : stage;
    var _ = first.whenComplete(this::tell);
  }

  /// Whether there is nothing to wait for.
  public static boolean hasSucceeded(CompletableFuture<?> future) {
    try {
      return future.state() == Future.State.SUCCESS;
    } catch (UnsupportedOperationException _) {
      return false; // a minimal stage: a future by type only
    }
  }

  private void tell(@Nullable Object value, @Nullable Throwable failure) {
    if (!over.isDone()) {
      done.complete(value, failure == null ? null : unwrapped(failure));
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    return CoroutineFailure.of(
        failure instanceof CompletionException && cause != null ? cause : failure);
  }

  /// The end of the stage, with its outcome.
  public EventSource event() {
    return done;
  }

  void enter() {
    waiting++;
  }

  /// One wait is over, one way or the other. The last one takes the registration off the stage.
  @Override
  public void close() {
    if (--waiting == 0) {
      all.forget(stage, this);
      unregister();
    }
  }

  void unregister() {
    over.complete(null);
  }
}
