// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import dev.heddle.cluster.engine.Engine.Outgoing;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jspecify.annotations.Nullable;

/// A message of JGroups whose array is used again once the packet has arrived. On the wire it is a
/// [BytesMessage].
///
/// UNICAST3 keeps a message until the other side's has acknowledged it, and may send it once more
/// meanwhile, although the session there has acknowledged the packet. So JGroups never has the
/// array: it is read while the message is written, or copied. A message that is sent again after
/// its packet has arrived has no content. UNICAST3 of the other node has delivered its number
/// before, and drops it; if it did not, the packet would be malformed.
///
/// **Thread** any.
final class OutgoingMessage extends BytesMessage {
  private static final int NO_CONTENT = -1;

  private final Outgoing packet;

  OutgoingMessage(Address to, Outgoing packet) {
    super(to);
    this.packet = packet;
  }

  @Override
  public boolean hasArray() {
    return false;
  }

  @Override
  public boolean hasPayload() {
    return true;
  }

  @Override
  public int getLength() {
    return packet.length();
  }

  @Override
  protected int payloadSize() {
    return Integer.BYTES + packet.length();
  }

  @Override
  public void writePayload(DataOutput out) throws IOException {
    byte[] bytes = packet.pin();
    if (bytes == null) {
      out.writeInt(NO_CONTENT);
      return;
    }
    try {
      out.writeInt(packet.length());
      out.write(bytes, 0, packet.length());
    } finally {
      packet.unpin();
    }
  }

  @Override
  public byte @Nullable [] getBytes() {
    byte[] bytes = packet.pin();
    if (bytes == null) {
      return null;
    }
    try {
      return Arrays.copyOf(bytes, packet.length());
    } finally {
      packet.unpin();
    }
  }

  /// The copy has an array of its own.
  @Override
  protected Message copyPayload(Message copy) {
    byte[] bytes = getBytes();
    return bytes == null ? copy : copy.setArray(bytes, 0, bytes.length);
  }
}
