// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.process.Pid;
import dev.heddle.process.Reply;
import org.jspecify.annotations.Nullable;

/// One message on its way to bytes. Owned by the thread that encodes it.
final class MessageOutput {
  private final CborOutput cbor = new CborOutput();
  private final MessageTypes types;
  private final PidCodec pids;
  private final @Nullable Reply<?> reply;
  private int depth;

  /// @param reply that the message may contain; null for none
  MessageOutput(MessageTypes types, PidCodec pids, @Nullable Reply<?> reply) {
    this.types = types;
    this.pids = pids;
    this.reply = reply;
  }

  CborOutput cbor() {
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
      cbor.nothing();
      return;
    }
    if (++depth > MessageTypes.MAX_DEPTH) {
      throw new Unsendable(
          "is nested more than %d deep; does it contain itself?".formatted(MessageTypes.MAX_DEPTH));
    }
    shape.write(this, value);
    depth--;
  }

  void pid(Pid pid) {
    WireOutput out = new WireOutput();
    pids.write(out, pid);
    cbor.binary(out.body());
  }
}
