// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.process.Reply;
import org.jspecify.annotations.Nullable;

/// The reply of a typed request: a component that is not written. The node that receives the
/// request puts a reply of its own there, and sends on what it receives.
final class ReplyShape extends Shape {
  /// The value of the component, which may be null: it is checked in any case.
  record Checked(@Nullable Object reply) {}

  private static final String NAME = "Reply<";

  /// @param type of the reply, as text
  ReplyShape(String type) {
    super(NAME + type + ">");
  }

  /// Whether the type of a component, as a signature has it, is a reply.
  static boolean isReply(String type) {
    return type.startsWith(NAME);
  }

  @Override
  boolean isWritten() {
    return false;
  }

  /// Checks that it is the reply of the request on its way.
  @Override
  void write(MessageOutput out, Object value) {
    Reply<?> asked = out.reply();
    if (asked == null) {
      throw new Unsendable(
          "is a Reply; only a message itself may have one, and only when it is sent by ask");
    }
    if (!(value instanceof Checked(var reply)) || reply != asked) {
      throw new Unsendable(
          "is not the Reply of this request; a message contains the one that ask gave it");
    }
  }

  @Override
  Object read(MessageInput in) {
    throw new IllegalStateException("a Reply is not written");
  }

  @Override
  Object absent(MessageInput in) {
    return in.reply();
  }
}
