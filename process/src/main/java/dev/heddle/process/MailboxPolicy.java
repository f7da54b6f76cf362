// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// What happens to a message for a mailbox that is full: one that holds as many messages as its
/// bound says which were not taken. A step takes what it is given; the body of a [CoroutineProcess]
/// what it receives, of which an eighth of the bound, 64 messages at the most, may count until its
/// step ends. Signals and results do not count.
///
/// @since 0.1
public enum MailboxPolicy {
  /// it is refused: the sender gets [SendResult#FULL]
  REJECT,
  /// it is dropped and counted: the sender gets [SendResult#DROPPED]
  DROP_NEWEST,
  /// it is taken, and the oldest one that was not taken is dropped for it and counted, also one
  /// that a body has passed over; a [Request] among those fails with [SendResult#DROPPED]
  DROP_OLDEST,
  /// whoever sends it waits until there is room, if it is a coroutine of a loop or the body of a
  /// [CoroutineProcess], and calls `send`; all others get [SendResult#FULL]. Those who wait are
  /// served in the order in which they came; while somebody waits, nobody else is served. One that
  /// is cancelled or ended while it waits has sent nothing, unless its message was accepted by then
  SUSPEND
}
