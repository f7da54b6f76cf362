// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.cluster.MessageCodec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Messages from one node to another.
final class MessageKit {
  private final MessageWriter writer;
  private final MessageReader reader;

  /// @param sender the types there
  /// @param receiver the types here
  MessageKit(MessageTypes sender, MessageTypes receiver) {
    this.writer = new MessageWriter(sender, FrameCodecTest.A);
    this.reader = new MessageReader(receiver, FrameCodecTest.A, sender.signatures());
  }

  /// Two nodes of one release.
  static MessageKit of(Class<?>... types) {
    MessageTypes both = types(types);
    return new MessageKit(both, both);
  }

  static MessageTypes types(Class<?>... types) {
    return MessageTypes.of(List.of(types), List.<MessageCodec<?>>of());
  }

  MessageWriter writer() {
    return writer;
  }

  MessageReader reader() {
    return reader;
  }

  byte[] encode(@Nullable Object message) {
    return writer.encode(message);
  }

  @Nullable Object sent(@Nullable Object message) throws UndecodableMessageException {
    return reader.decode(writer.encode(message));
  }
}
