// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.cluster.wire.UndecodableMessageException.Why;
import dev.heddle.process.Pid;
import dev.heddle.process.Reply;
import org.jspecify.annotations.Nullable;

/// One message on its way from bytes. Owned by the thread that decodes it.
final class MessageInput {
  private final CborInput cbor;
  private final SenderTypes types;
  private final PidCodec pids;
  private final @Nullable Reply<?> reply;
  private int depth;

  /// @param reply what the message contains as its reply; null when it was not asked
  MessageInput(CborInput cbor, SenderTypes types, PidCodec pids, @Nullable Reply<?> reply) {
    this.cbor = cbor;
    this.types = types;
    this.pids = pids;
    this.reply = reply;
  }

  CborInput cbor() {
    return cbor;
  }

  SenderTypes types() {
    return types;
  }

  /// Reads the next value.
  @Nullable Object value(Shape shape) {
    return shape.isNullable() && cbor.skipNull() ? null : present(shape);
  }

  /// Reads the next value, which is not null.
  Object present(Shape shape) {
    if (++depth > MessageTypes.MAX_DEPTH) {
      throw Undecodable.wrongShape("nested more than %d deep".formatted(MessageTypes.MAX_DEPTH));
    }
    Object value = shape.read(this);
    depth--;
    return value;
  }

  /// Reads the beginning of an array of so many items.
  void array(int size, Shape shape) {
    int given = cbor.array(shape.text());
    if (given != size) {
      throw Undecodable.wrongShape(
          "%d items, where %s has %d".formatted(given, shape.text(), size));
    }
  }

  /// Reads an integer from 0 up to, not including, a limit.
  int index(int limit, Shape shape) {
    long value = cbor.integer(shape.text());
    if (value < 0 || value >= limit) {
      throw Undecodable.wrongShape("%d, where %s has %d".formatted(value, shape.text(), limit));
    }
    return (int) value;
  }

  Pid pid(Shape shape) {
    byte[] bytes = cbor.binary(shape.text());
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
}
