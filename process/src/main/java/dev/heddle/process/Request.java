// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// A message whose sender waits for an answer: what `ask` puts into the mailbox.
///
/// @param message that was asked
/// @param reply takes the answer, once
/// @since 0.1
public record Request(@Nullable Object message, Reply<@Nullable Object> reply) {
  /// Whether it was asked by a [Ref]: then the message carries its own reply, typed, and whoever
  /// takes the request needs the message only.
  public boolean isTyped() {
    return reply.isInMessage();
  }

  /// Whether a process has handed it on, by [ProcessRuntime#forward]: then that one decides what
  /// becomes of it when it is not taken.
  public boolean isForwarded() {
    return reply.isForwarded();
  }
}
