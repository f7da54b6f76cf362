// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.cluster.wire.UndecodableMessageException.Why;
import dev.heddle.process.Reply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decodes the messages of one sender. Immutable; any thread. When the sender announces more types,
/// there is a new reader.
public final class MessageReader {
  private static final int BYTES = ValueShape.ALL.indexOf(ValueShape.BYTES) + 1;

  private final MessageTypes types;
  private final SenderTypes senderTypes;
  private final PidCodec pids;

  /// @param types of this node
  /// @param sender its life, which PIDs in its messages are relative to
  /// @param signatures of the sender's types, as [Frame.Types] announced them; may be anything
  public MessageReader(MessageTypes types, NodeLife sender, List<String> signatures) {
    this.types = types;
    this.senderTypes = new SenderTypes(types, signatures);
    this.pids = new PidCodec(sender, null);
  }

  /// Decodes a message, a reply, a result.
  ///
  /// @throws UndecodableMessageException when it cannot be decoded, or is a request that contains a
  ///   [Reply]
  public @Nullable Object decode(byte[] content) throws UndecodableMessageException {
    return decode(Content.of(content), null);
  }

  /// The same. What it returns does not refer to the content's array.
  public @Nullable Object decode(Content content) throws UndecodableMessageException {
    return decode(content, null);
  }

  /// Whether a content is a request that contains its [Reply].
  public boolean isTyped(byte[] content) {
    try {
      int number = new WireInput(content, 0, content.length).number(Integer.MAX_VALUE, "a type");
      return number >= DynamicShape.FIRST_NAMED
          && types.dynamic().shapeOf(number, senderTypes) instanceof RecordShape it
          && it.hasReply();
    } catch (MalformedPacketException | Undecodable e) {
      return false; // safe: decode() says why it is refused
    }
  }

  /// Decodes a request.
  ///
  /// @param reply that the message contains, if it does
  /// @throws UndecodableMessageException when it cannot be decoded
  public @Nullable Object decodeAsk(byte[] content, Reply<?> reply)
      throws UndecodableMessageException {
    return decode(Content.of(content), reply);
  }

  private @Nullable Object decode(Content content, @Nullable Reply<?> reply)
      throws UndecodableMessageException {
    WireInput head = content.input();
    String type = "a message";
    try {
      int number = head.number(Integer.MAX_VALUE, "a type");
      if (number == BYTES) {
        return head.rest();
      }
      if (number == DynamicShape.NULL) {
        head.checkEnd();
        return null;
      }
      type = name(number);
      CborInput rest = new CborInput(head.array(), head.position(), head.end());
      return read(rest, types.dynamic().shapeOf(number, senderTypes), reply);
    } catch (MalformedPacketException e) {
      throw new UndecodableMessageException(Why.WRONG_SHAPE, type, String.valueOf(e.getMessage()));
    } catch (Undecodable e) {
      throw e.of(type);
    } catch (RuntimeException e) { // of a value that is out of range, such as a date
      throw new UndecodableMessageException(Why.WRONG_SHAPE, type, e.toString());
    }
  }

  private String name(int number) {
    int index = number - DynamicShape.FIRST_NAMED;
    return index >= 0 && index < senderTypes.size() ? senderTypes.name(index) : "type " + number;
  }

  private Object read(CborInput cbor, Shape shape, @Nullable Reply<?> reply) {
    Object message = new MessageInput(cbor, senderTypes, pids, reply).present(shape);
    if (!cbor.isAtEnd()) {
      throw Undecodable.wrongShape("more after its end");
    }
    return message;
  }
}
