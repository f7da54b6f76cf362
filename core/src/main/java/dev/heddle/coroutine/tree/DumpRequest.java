// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.LoopEndedException;
import dev.heddle.observe.Dump;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.concurrent.CompletableFuture;

/// Another thread asks for a dump: goes through the inbox, is answered on the trampoline.
final class DumpRequest extends Inbox.Node {
  private final LoopRoot loop;
  private final CompletableFuture<Dump> answer = new CompletableFuture<>();

  private DumpRequest(LoopRoot loop) {
    this.loop = loop;
  }

  /// Asks from any thread.
  ///
  /// @return for waiting only: what depends on it would run on the carrier
  static CompletableFuture<Dump> to(LoopRoot loop) {
    DumpRequest request = new DumpRequest(loop);
    if (!loop.scheduler().inbox().post(request)) {
      request.refuse();
    }
    return request.answer;
  }

  // in a tick, perhaps on the stack of a coroutine
  @Override
  public void arrive() {
    loop.scheduler().onTrampoline(this::answer);
  }

  private void answer() {
    if (loop.scheduler().hasEnded()) {
      refuse();
      return;
    }
    try {
      answer.complete(loop.dump());
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(e);
    }
  }

  private void refuse() {
    answer.completeExceptionally(
        new LoopEndedException(
            "the loop '" + loop.options().name() + "' has ended; nothing is left to be seen"));
  }
}
