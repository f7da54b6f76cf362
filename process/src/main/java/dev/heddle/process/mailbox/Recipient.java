// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.mailbox;

import dev.heddle.process.SendResult;
import dev.heddle.process.links.ProcessLinks;
import org.jspecify.annotations.Nullable;

/// The process to which a mailbox belongs, as the mailbox sees it.
public interface Recipient extends ProcessLinks.Owner {
  /// The result of a command is about to be seen.
  void resultSeen(long tag);

  /// It lay in the mailbox at the end of the process.
  void recordUndelivered(@Nullable Object content, boolean isMessage);

  /// Messages have left the mailbox.
  void spaceFreed();

  /// Gives the senders that stand in line the room that there is.
  void serveSenders();

  /// Whether it will take no message any more, though its mailbox is open.
  boolean isAbandoned();

  /// The result of a send when it takes no message any more.
  SendResult sendToEnded();
}
