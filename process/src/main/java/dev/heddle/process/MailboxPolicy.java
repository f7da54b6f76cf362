// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// What happens to a message for a full mailbox, in which as many messages wait as its capacity. A
/// message waits until a step gets it or the body of a [CoroutineProcess] receives it. Of the
/// messages that a body has received, an eighth of the capacity, at most 64, may still count until
/// the step ends. Signals and results do not count.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=options}
///
/// @since 0.1
public enum MailboxPolicy {
  /// it is refused: the sender gets [SendResult#FULL]
  REJECT,
  /// it is dropped and counted: the sender gets [SendResult#DROPPED]
  DROP_NEWEST,
  /// it is accepted, and the oldest waiting message is dropped and counted, including one that a
  /// body has skipped; a dropped [Request] fails with [SendResult#DROPPED]
  DROP_OLDEST,
  /// the sender waits for space, if it is a coroutine of a loop or the body of a [CoroutineProcess]
  /// and calls `send`; other senders get [SendResult#FULL]. Waiting senders are served in their
  /// order of arrival, and before all others. A sender that is cancelled or ended while it waits
  /// has sent nothing, unless its message was accepted by then
  SUSPEND
}
