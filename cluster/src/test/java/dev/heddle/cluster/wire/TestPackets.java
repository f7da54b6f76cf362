// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import java.nio.ByteBuffer;
import java.util.List;

/// Packets that no node has packed.
public final class TestPackets {
  private TestPackets() {}

  /// A numbered packet of frames.
  public static byte[] write(
      int version, SessionId session, long number, long ack, int window, List<byte[]> frames) {
    int length = Packet.HEADER_BYTES + frames.stream().mapToInt(frame -> frame.length).sum();
    byte[] packet = new byte[length];
    ByteBuffer out = ByteBuffer.wrap(packet).position(Packet.HEADER_BYTES);
    frames.forEach(out::put);
    Packet.writeHeader(packet, version, session, number, ack, window);
    return packet;
  }

  /// A content that fails while it is written into a packet.
  public static Content unwritable() {
    return Content.of(new byte[0], 0, 10);
  }
}
