// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.process.NotSendableException;
import dev.heddle.process.Reply;
import org.jspecify.annotations.Nullable;

/// Encodes the messages of one node, for any receiver. Immutable; any thread: messages are encoded
/// on the thread that sends them.
public final class MessageWriter {
  private static final int BYTES = ValueShape.ALL.indexOf(ValueShape.BYTES) + 1;

  private final MessageTypes types;
  private final PidCodec pids;

  /// @param self the life of this node, which PIDs are relative to
  public MessageWriter(MessageTypes types, NodeLife self) {
    this.types = types;
    this.pids = new PidCodec(self, null);
  }

  /// Encodes a message, a reply, a result.
  ///
  /// @throws NotSendableException when its type is not registered, a value in it cannot be encoded,
  ///   or it is too large
  public byte[] encode(@Nullable Object message) {
    return encode(message, null).toBytes();
  }

  /// The same, without a copy: it is read before the message may change.
  public Content encodeInPlace(@Nullable Object message) {
    return encode(message, null);
  }

  /// Encodes a request.
  ///
  /// @param reply that the message may contain
  /// @throws NotSendableException as above; also when it contains another [Reply]
  public byte[] encodeAsk(@Nullable Object message, Reply<?> reply) {
    return encode(message, reply).toBytes();
  }

  private Content encode(@Nullable Object message, @Nullable Reply<?> reply) {
    try {
      return write(message, reply);
    } catch (Unsendable e) {
      throw new NotSendableException(e.describe(typeOf(message)), e);
    } catch (RuntimeException e) {
      throw new NotSendableException("%s cannot be encoded: %s".formatted(typeOf(message), e), e);
    }
  }

  private static String typeOf(@Nullable Object message) {
    return message == null ? "null" : message.getClass().getSimpleName();
  }

  private Content write(@Nullable Object message, @Nullable Reply<?> reply) {
    if (message instanceof byte[] bytes) {
      return writeBytes(bytes);
    }
    int number = types.dynamic().numberOf(message, types);
    MessageOutput out = new MessageOutput(types, pids, reply);
    out.cbor().varint(number);
    if (message != null) {
      out.value(types.dynamic().shapeOf(number, types), message);
    }
    return out.cbor().toContent();
  }

  private static Content writeBytes(byte[] message) {
    if (message.length >= Limits.MESSAGE_BYTES) {
      throw new Unsendable(
          "has %d bytes; at most %d can be sent to another node; send it in parts"
              .formatted(message.length, Limits.MESSAGE_BYTES - 1));
    }
    return Content.of(BYTES, message);
  }
}
