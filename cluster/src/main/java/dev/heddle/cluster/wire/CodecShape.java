// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.cluster.MessageCodec;
import java.util.List;

/// The values of a class with a codec of its own, as bytes.
final class CodecShape<T> extends NamedShape {
  private final MessageCodec<T> codec;

  CodecShape(int index, MessageCodec<T> codec) {
    super(codec.name(), index);
    this.codec = codec;
  }

  @Override
  String signature() {
    return text();
  }

  private enum Plan implements SenderTypes.Plan {
    BYTES
  }

  @Override
  SenderTypes.Plan plan(List<String> parts) {
    return Plan.BYTES;
  }

  @Override
  void write(MessageOutput out, Object value) {
    if (value.getClass() != codec.type()) {
      throw new Unsendable(
          "is a %s; the codec is for %s".formatted(value.getClass().getName(), text()));
    }
    byte[] bytes;
    try {
      bytes = codec.encode(codec.type().cast(value));
    } catch (RuntimeException e) {
      throw new Unsendable("is refused by its codec: " + e, e);
    }
    out.cbor().binary(bytes);
  }

  @Override
  Object read(MessageInput in) {
    var _ = in.types().plan(this);
    byte[] bytes = in.cbor().binary(text());
    T value;
    try {
      value = codec.decode(bytes);
    } catch (RuntimeException e) {
      throw Undecodable.wrongShape("the codec of %s has thrown %s".formatted(text(), e));
    }
    if (!codec.type().isInstance(value)) {
      throw Undecodable.wrongShape("the codec of %s has returned %s".formatted(text(), value));
    }
    return value;
  }
}
