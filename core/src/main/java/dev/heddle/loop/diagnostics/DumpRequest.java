// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.LoopEndedException;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.observe.Dump;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.concurrent.CompletableFuture;

/// The request of another thread for a dump: passes through the inbox, is answered on the
/// trampoline.
public final class DumpRequest extends Inbox.Node {
  private final CoroutineTree tree;
  private final CompletableFuture<Dump> answer = new CompletableFuture<>();

  private DumpRequest(CoroutineTree tree) {
    this.tree = tree;
  }

  /// Posts a request. **Thread** any.
  ///
  /// @return only for waiting: dependents would run on the carrier
  public static CompletableFuture<Dump> to(CoroutineTree tree) {
    DumpRequest request = new DumpRequest(tree);
    if (!tree.scheduler().inbox().post(request)) {
      request.refuse();
    }
    return request.answer;
  }

  // in a tick, perhaps on a coroutine's stack
  @Override
  public void onArrival() {
    tree.scheduler().runOnCarrier(this::answer);
  }

  private void answer() {
    if (tree.scheduler().hasEnded()) {
      refuse();
      return;
    }
    try {
      answer.complete(DumpTaker.take(tree));
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
