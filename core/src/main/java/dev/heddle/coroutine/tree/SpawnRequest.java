// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.LoopEndedException;
import dev.heddle.failure.FailureTable;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Another thread asks for a coroutine: goes through the inbox, is spawned on the trampoline.
final class SpawnRequest<T extends @Nullable Object> extends Inbox.Node {
  private final LoopRoot loop;
  private final String name;
  private final Body<T> body;
  private final CompletableFuture<T> result = new CompletableFuture<>();

  private @Nullable Throwable jvmsEnd; // loop only: what has ended the body, and ends the loop

  private SpawnRequest(LoopRoot loop, String name, Body<T> body) {
    this.loop = loop;
    this.name = name;
    this.body = body;
  }

  /// Asks from any thread.
  static <T extends @Nullable Object> CompletableFuture<T> to(
      LoopRoot loop, String name, Body<T> body) {
    SpawnRequest<T> request = new SpawnRequest<>(loop, name, body);
    if (!loop.scheduler().inbox().post(request)) {
      request.refuse();
    }
    return request.result;
  }

  // in a tick, perhaps on the stack of a coroutine
  @Override
  public void arrive() {
    loop.scheduler().onTrampoline(this::spawn);
  }

  private void spawn() {
    if (loop.scheduler().hasEnded()) {
      refuse();
    } else {
      loop.submitted(this);
      loop.root().admit(loop.root().newSubmitted(name, this::run));
    }
  }

  private void run() {
    try {
      result.complete(body.run());
    } catch (Throwable e) {
      if (FailureTable.isFatal(e)) {
        jvmsEnd = e; // nobody is called for it before the loop has ended, which it does at once
        throw LoopRoot.<RuntimeException>rethrown(e);
      }
      Throwable carried = e instanceof Cancellation ? Precedence.carriedBy(e) : null;
      result.completeExceptionally(carried == null ? e : carried);
    }
    loop.answered(this);
  }

  /// The loop has ended before it could begin, or with what its body has thrown.
  void refuse() {
    result.completeExceptionally(
        jvmsEnd != null
            ? jvmsEnd
            : new LoopEndedException("the loop '" + loop.options().name() + "' has ended"));
  }
}
