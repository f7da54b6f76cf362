// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// What happens to a message for a mailbox that is full.
///
/// @since 0.1
public enum MailboxPolicy {
  /// it is refused: the sender gets [SendResult#FULL]
  REJECT,
  /// it is dropped and counted: the sender gets [SendResult#DROPPED]
  DROP_NEWEST,
  /// it is taken, and the oldest one is dropped for it and counted; a [Request] among those fails
  /// with [SendResult#DROPPED]
  DROP_OLDEST,
  /// whoever sends it waits until there is room, if it is a coroutine of a loop or the body of a
  /// [CoroutineProcess], and calls `send`; all others get [SendResult#FULL]. Those who wait are not
  /// in line: whoever comes when there is room may be faster
  SUSPEND
}
