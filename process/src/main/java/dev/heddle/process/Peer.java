// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// A way to processes that live elsewhere: on another node, or under another host of this one.
///
/// Whoever implements it keeps the order of the messages of one thread, and says no rather than
/// nothing when a message cannot go its way.
///
/// @since 0.1
@FunctionalInterface
public interface Peer {
  /// Takes a message for an address over there. Must not block. What it throws is logged, and the
  /// message was [SendResult#UNREACHABLE].
  ///
  /// @param message what was sent, or a [dev.heddle.process.Request], whose reply goes back
  SendResult send(Pid to, @Nullable Object message);
}
