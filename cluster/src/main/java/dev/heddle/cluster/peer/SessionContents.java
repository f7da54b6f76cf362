// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.wire.Content;
import dev.heddle.cluster.wire.Failures;
import dev.heddle.cluster.wire.Frame.ExitText;
import dev.heddle.cluster.wire.MessageReader;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.UndecodableMessageException;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Reply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The messages of one session as bytes, and back. Any thread.
final class SessionContents {
  private final MessageTypes types;
  private final MessageWriter writer;
  private final NodeLife other;

  // written by the session, when the other node announces types
  private volatile MessageReader reader;

  SessionContents(MessageTypes types, NodeLife self, NodeLife other) {
    this.types = types;
    this.writer = new MessageWriter(types, self);
    this.other = other;
    this.reader = new MessageReader(types, other, List.of());
  }

  List<String> signatures() {
    return types.signatures();
  }

  void onTypes(List<String> signatures) {
    reader = new MessageReader(types, other, signatures);
  }

  ExitText text(Exit exit) {
    return Failures.text(exit, writer);
  }

  Exit exit(Pid pid, ExitText text) {
    return Failures.exit(pid, text, reader);
  }

  /// @throws dev.heddle.process.NotSendableException when it cannot be encoded
  byte[] encode(@Nullable Object message) {
    return writer.encode(message);
  }

  /// The same, without a copy.
  Content encodeInPlace(@Nullable Object message) {
    return writer.encodeInPlace(message);
  }

  /// @throws dev.heddle.process.NotSendableException when it cannot be encoded
  byte[] encodeAsk(@Nullable Object message, Reply<?> reply) {
    return writer.encodeAsk(message, reply);
  }

  @Nullable Object decode(byte[] content) throws UndecodableMessageException {
    return reader.decode(content);
  }

  @Nullable Object decode(Content content) throws UndecodableMessageException {
    return reader.decode(content);
  }

  @Nullable Object decodeAsk(byte[] content, Reply<?> reply) throws UndecodableMessageException {
    return reader.decodeAsk(content, reply);
  }
}
