// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import dev.heddle.LoopEndedException;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// A call of another thread that the loop answers while no coroutine is mounted: it passes through
/// the inbox, and runs on the trampoline.
public final class TrampolineCall<T> extends Inbox.Node {
  private final CoroutineTree tree;
  private final Consumer<CompletableFuture<T>> body;
  private final CompletableFuture<T> answer = new CompletableFuture<>();

  private TrampolineCall(CoroutineTree tree, Consumer<CompletableFuture<T>> body) {
    this.tree = tree;
    this.body = body;
  }

  /// Posts a call. **Thread** any.
  ///
  /// @param body completes the future, now or later; takes no lock and calls no user code
  /// @return only for waiting: dependents would run on the carrier
  public static <T> CompletableFuture<T> post(
      CoroutineTree tree, Consumer<CompletableFuture<T>> body) {
    TrampolineCall<T> call = new TrampolineCall<>(tree, body);
    if (!tree.scheduler().inbox().post(call)) {
      call.refuse();
    }
    return call.answer;
  }

  // in a tick, perhaps on a coroutine's stack
  @Override
  public void onArrival() {
    tree.scheduler().runOnCarrier(this::run);
  }

  private void run() {
    if (tree.scheduler().hasEnded()) {
      refuse();
      return;
    }
    try {
      body.accept(answer);
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(e);
    }
  }

  private void refuse() {
    answer.completeExceptionally(
        new LoopEndedException(
            "the loop '" + tree.options().name() + "' has ended; nothing is left to be seen"));
  }
}
