// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.cluster.wire.UndecodableMessageException.Why;
import dev.heddle.process.Pid;
import dev.heddle.process.Reply;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/// One message on its way from bytes. Owned by the thread that decodes it.
final class MessageInput implements AutoCloseable {
  private final JsonParser cbor;
  private final SenderTypes types;
  private final PidCodec pids;
  private final @Nullable Reply<?> reply;
  private int depth;

  /// @param reply what the message contains as its reply; null when it was not asked
  MessageInput(JsonParser cbor, SenderTypes types, PidCodec pids, @Nullable Reply<?> reply) {
    this.cbor = cbor;
    this.types = types;
    this.pids = pids;
    this.reply = reply;
  }

  JsonParser cbor() {
    return cbor;
  }

  SenderTypes types() {
    return types;
  }

  /// Reads the next value.
  @Nullable Object value(Shape shape) {
    var _ = next();
    return current(shape);
  }

  /// Reads the value of the current token.
  @Nullable Object current(Shape shape) {
    boolean isNull = cbor.currentToken() == JsonToken.VALUE_NULL && shape.isNullable();
    return isNull ? null : read(shape);
  }

  /// Reads the next value, which is not null.
  Object present(Shape shape) {
    var _ = next();
    return read(shape);
  }

  private Object read(Shape shape) {
    if (++depth > MessageTypes.MAX_DEPTH) {
      throw Undecodable.wrongShape("nested more than %d deep".formatted(MessageTypes.MAX_DEPTH));
    }
    Object value = shape.read(this);
    depth--;
    return value;
  }

  JsonToken next() {
    JsonToken token = cbor.nextToken();
    if (token == null) {
      throw Undecodable.wrongShape("the bytes end too early");
    }
    return token;
  }

  /// Checks the current token.
  void expect(JsonToken expected, Shape shape) {
    if (cbor.currentToken() != expected) {
      throw Undecodable.wrongShape(
          "%s, where %s was expected".formatted(cbor.currentToken(), shape.text()));
    }
  }

  /// Reads the end of an array.
  void endArray(Shape shape) {
    if (next() != JsonToken.END_ARRAY) {
      throw Undecodable.wrongShape("more elements than %s has".formatted(shape.text()));
    }
  }

  /// Skips the next value.
  void skip() {
    var _ = next();
    var _ = cbor.skipChildren();
  }

  /// The next token as an integer of up to 64 bits.
  long integer(Shape shape) {
    var _ = next();
    expect(JsonToken.VALUE_NUMBER_INT, shape);
    return cbor.getLongValue();
  }

  /// The next token as an integer from 0 up to, not including, a limit.
  int index(int limit, Shape shape) {
    long value = integer(shape);
    if (value < 0 || value >= limit) {
      throw Undecodable.wrongShape("%d, where %s has %d".formatted(value, shape.text(), limit));
    }
    return (int) value;
  }

  byte[] binary(Shape shape) {
    expect(JsonToken.VALUE_EMBEDDED_OBJECT, shape);
    return cbor.getBinaryValue();
  }

  Pid pid(Shape shape) {
    byte[] bytes = binary(shape);
    WireInput in = new WireInput(bytes, 0, bytes.length);
    try {
      Pid pid = pids.read(in);
      in.checkEnd();
      return pid;
    } catch (MalformedPacketException e) {
      throw Undecodable.wrongShape("no PID: " + e.getMessage());
    }
  }

  Reply<?> reply() {
    if (reply == null || depth != 1) {
      throw new Undecodable(
          Why.NO_REPLY, "it has a Reply, and is not itself a message that was sent by ask");
    }
    return reply;
  }

  @Override
  public void close() {
    cbor.close();
  }
}
