// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// What became of a message at the moment it was sent.
///
/// @since 0.1
public enum SendResult {
  /// It is in the mailbox: the receiver will see it, unless it ends first.
  ACCEPTED,
  /// The mailbox is full, and its policy is to refuse.
  FULL,
  /// The mailbox is full, and its policy is to drop what comes; or it was the oldest one there, and
  /// had to give way.
  DROPPED,
  /// Nobody has this address, or whoever had it has ended.
  NOT_FOUND,
  /// The runtime has shut down.
  CLOSED,
  /// No way leads to that node or host.
  UNREACHABLE;

  /// Whether this message is on its way; with a policy of dropping the oldest also when another one
  /// was dropped for it.
  public boolean isAccepted() {
    return this == ACCEPTED;
  }
}
