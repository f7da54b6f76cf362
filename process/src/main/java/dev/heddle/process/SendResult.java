// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// The result of sending a message, as of that moment.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=send}
///
/// @since 0.1
public enum SendResult {
  /// The message is in the mailbox: the receiver gets it, unless it ends first.
  ACCEPTED,
  /// The mailbox is full: its policy rejects messages, or this sender cannot wait for space.
  FULL,
  /// The mailbox is full, and its policy drops the new message; or this message was the oldest one
  /// there and was dropped for a later one.
  DROPPED,
  /// No process has this address, or it has ended.
  NOT_FOUND,
  /// The runtime has shut down.
  CLOSED,
  /// There is no peer for that node or host, or no connection to it.
  UNREACHABLE,
  /// The message cannot be encoded for another node: see [NotSendableException].
  NOT_SENDABLE;

  /// Whether this message was accepted; with a drop-oldest policy another one may have been dropped
  /// for it.
  public boolean isAccepted() {
    return this == ACCEPTED;
  }
}
