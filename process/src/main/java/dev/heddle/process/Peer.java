// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// A connection to processes on another node, or under another host of this one.
///
/// An implementation keeps the order of the messages of one thread, and returns a refusal when it
/// cannot pass a message on.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=peer}
///
/// @since 0.1
@FunctionalInterface
public interface Peer {
  /// Passes on a message. Must not block. An exception is logged, and the message counts as
  /// [SendResult#UNREACHABLE].
  ///
  /// @param message the message, or a [dev.heddle.process.Request], whose reply goes back
  /// @throws NotSendableException when the message cannot be encoded: it is not logged, but thrown
  ///   by `send` and `ask`; `offer` returns [SendResult#NOT_SENDABLE]
  SendResult send(Pid to, @Nullable Object message);
}
