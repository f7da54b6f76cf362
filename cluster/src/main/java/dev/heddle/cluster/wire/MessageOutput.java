// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.process.Pid;
import dev.heddle.process.Reply;
import java.io.OutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/// One message on its way to bytes. Owned by the thread that encodes it.
final class MessageOutput implements AutoCloseable {
  private final JsonGenerator cbor;
  private final MessageTypes types;
  private final PidCodec pids;
  private final @Nullable Reply<?> reply;
  private int depth;

  /// @param reply that the message may contain; null for none
  MessageOutput(JsonGenerator cbor, MessageTypes types, PidCodec pids, @Nullable Reply<?> reply) {
    this.cbor = cbor;
    this.types = types;
    this.pids = pids;
    this.reply = reply;
  }

  JsonGenerator cbor() {
    return cbor;
  }

  MessageTypes types() {
    return types;
  }

  /// The reply that the record being written may contain; null for none.
  @Nullable Reply<?> reply() {
    return depth == 1 ? reply : null;
  }

  void value(Shape shape, @Nullable Object value) {
    if (value == null) {
      if (!shape.isNullable()) {
        throw new Unsendable("is null; it is a " + shape.text());
      }
      cbor.writeNull();
      return;
    }
    if (++depth > MessageTypes.MAX_DEPTH) {
      throw new Unsendable(
          "is nested more than %d deep; does it contain itself?".formatted(MessageTypes.MAX_DEPTH));
    }
    shape.write(this, value);
    depth--;
  }

  void startArray(int size) {
    var _ = cbor.writeStartArray(null, size);
  }

  void endArray() {
    var _ = cbor.writeEndArray();
  }

  void pid(Pid pid) {
    WireOutput out = new WireOutput();
    pids.write(out, pid);
    var _ = cbor.writeBinary(out.body());
  }

  @Override
  public void close() {
    cbor.close();
  }

  /// Bytes up to the limit of a message.
  static final class Bytes extends OutputStream {
    private byte[] bytes;
    private int count;

    Bytes(byte[] prefix) {
      this.bytes = prefix;
      this.count = prefix.length;
    }

    @Override
    public void write(int value) {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] from, int start, int length) {
      int size = count + length; // no overflow: a generator writes its buffer of some KiB
      if (length > Limits.MESSAGE_BYTES || size > Limits.MESSAGE_BYTES) {
        throw new Unsendable("has more than %d bytes".formatted(Limits.MESSAGE_BYTES));
      }
      if (size > bytes.length) { // the first write is nearly always the only one
        boolean first = bytes.length == count && count < 8;
        bytes = Arrays.copyOf(bytes, first ? size : Math.max(size, bytes.length * 2));
      }
      System.arraycopy(from, start, bytes, count, length);
      count = size;
    }

    byte[] toBytes() {
      return count == bytes.length ? bytes : Arrays.copyOf(bytes, count);
    }
  }
}
