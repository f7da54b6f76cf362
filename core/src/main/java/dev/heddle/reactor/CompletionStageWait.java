// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.CoroutineException;
import dev.heddle.event.source.EventSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// The waits of a loop's coroutines for one `CompletionStage`; they share one registration with the
/// stage. Each coroutine closes this when its wait is over.
public final class CompletionStageWait implements AutoCloseable {
  private final CompletionStageWaits all;
  private final CompletionStage<?> stage;
  private final RemoteEvent done;
  private final CompletableFuture<@Nullable Object> over = new CompletableFuture<>();

  // loop only
  private int waiting;

  /// Registers with the stage, which may run its own code in this call.
  CompletionStageWait(CompletionStageWaits all, CompletionStage<?> stage, RemoteEvent done) {
    this.all = all;
    this.stage = stage;
    this.done = done;
    CompletionStage<?> first =
        stage instanceof CompletableFuture<?> future
            ? CompletableFuture.anyOf(future, over)
            : stage;
    var _ = first.whenComplete(this::complete);
  }

  /// Whether the future has already succeeded, so that no wait is needed.
  public static boolean hasSucceeded(CompletableFuture<?> future) {
    try {
      return future.state() == Future.State.SUCCESS;
    } catch (UnsupportedOperationException _) {
      return false; // a minimal stage: it has the type of a future, but not its methods
    }
  }

  private void complete(@Nullable Object value, @Nullable Throwable failure) {
    if (!over.isDone()) {
      done.complete(value, failure == null ? null : unwrapped(failure));
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    return CoroutineException.of(
        failure instanceof CompletionException && cause != null ? cause : failure);
  }

  /// Fires when the stage completes, with its outcome.
  public EventSource event() {
    return done;
  }

  void enter() {
    waiting++;
  }

  /// Ends one wait. The last one to end removes the registration from the stage.
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
