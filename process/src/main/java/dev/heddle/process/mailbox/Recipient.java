// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.mailbox;

import dev.heddle.process.SendResult;
import dev.heddle.process.links.ProcessLinks;
import org.jspecify.annotations.Nullable;

/// The owner of a mailbox, for the classes of the mailbox.
public interface Recipient extends ProcessLinks.Owner {
  /// Called before the result of a command is delivered.
  void resultSeen(long tag);

  /// Records content that is left in the mailbox at the end of the process.
  void recordUndelivered(@Nullable Object content, boolean isMessage);

  /// Called when messages have left the mailbox.
  void spaceFreed();

  /// Fills the space that there is with messages of waiting senders.
  void serveSenders();

  /// Whether it handles no more messages, although its mailbox is open.
  boolean isAbandoned();

  /// The result of a send to it after its end.
  SendResult sendToEnded();
}
