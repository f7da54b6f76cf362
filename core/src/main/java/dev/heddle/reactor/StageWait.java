// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.CoroutineFailure;
import dev.heddle.event.Event;
import dev.heddle.event.EventHome;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// One wait for a stage of another library. When it is over, nothing of it stays with the stage.
///
/// The JDK has no call that takes a dependent off a stage; a wait that is cut, again and again, on
/// a future that lives long would leave one each time. But `anyOf` takes itself off the others as
/// soon as one of its futures has completed: so a future of the JDK's is awaited together with one
/// that the end of the wait completes. A stage of another kind keeps the dependent.
public final class StageWait implements AutoCloseable {
  private final RemoteEvent done;
  private final CompletableFuture<@Nullable Object> over = new CompletableFuture<>();

  /// Begins to wait.
  public StageWait(EventHome home, Inbox inbox, CompletionStage<?> stage) {
    this.done = new RemoteEvent(home, inbox, "a " + stage.getClass().getSimpleName());
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
  public Event event() {
    return done;
  }

  /// The wait is over, one way or the other.
  @Override
  public void close() {
    over.complete(null);
  }
}
