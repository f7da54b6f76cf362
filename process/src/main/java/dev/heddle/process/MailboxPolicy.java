// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// What happens to a message for a mailbox that is full.
///
/// @since 0.1
public enum MailboxPolicy {
  /// it is refused: the sender gets [SendResult#FULL]
  REJECT,
  /// it is dropped and counted: the sender gets [SendResult#DROPPED]
  DROP_NEWEST
}
