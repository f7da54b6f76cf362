// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// A message whose sender waits for a reply: what `ask` puts into the mailbox.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=ask}
///
/// @param message the message sent
/// @param reply receives the reply, once
/// @since 0.1
public record Request(@Nullable Object message, Reply<@Nullable Object> reply) {
  /// Whether it was sent by a [Ref]: then the message carries its own typed reply, and the receiver
  /// needs only the message.
  public boolean isTyped() {
    return reply.isInMessage();
  }

  /// Whether a process has forwarded it, by [ProcessRuntime#forward]: then that process decides
  /// what happens when it is not received.
  public boolean isForwarded() {
    return reply.isForwarded();
  }
}
