// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Cancellation;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.failure.FailureTable;

/// A sender whose item was sent while it waited, and that meets a throwable when it continues: that
/// of a switch handler. It must not believe that the item was not sent, so `send()` returns.
final class SentSender {
  private SentSender() {}

  /// Reports `thrown`; a cancellation comes again at the next wait.
  ///
  /// @param to what the item was sent to
  static void met(Throwable thrown, CoroutineNode<?> sender, String to) {
    FailureTable.throwIfFatal(thrown);
    if (thrown instanceof Cancellation) {
      sender.postpone(thrown, null);
      return;
    }
    String what = "a switch handler failed, of a coroutine that has sent to " + to;
    sender.scheduler().futures().unobserved(what, thrown);
  }
}
