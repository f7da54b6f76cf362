// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;

/// What an engine carries at once: a header, and frames. Its frames are still bytes: whoever knows
/// the session decodes them.
///
/// @param version of the wire, in which the frames are written
/// @param urgent whether it has no number and carries one [Urgent]
/// @param session that it belongs to
/// @param number of the packet in its session and direction, counted from 1; 0 when urgent
/// @param ack number of the last packet that its sender has taken in order from the other direction
/// @param window how many bytes of packets after that one its sender takes
/// @param bytes an array with the whole packet; owned by this record
/// @param start where it begins
/// @param end where it ends
public record Packet(
    int version,
    boolean urgent,
    SessionId session,
    long number,
    long ack,
    int window,
    byte[] bytes,
    int start,
    int end) {
  /*
   * Layout, big endian; the header is the same in all versions.
   *
   *   offset  0  "HD"
   *           2  version
   *           3  flags: 1 urgent; the others are 0
   *           4  session: the first number, 12 the second one
   *          20  number
   *          28  ack
   *          36  window, not negative
   *          40  frames to the end of the packet, see FrameCodec; exactly one when the packet is
   *              urgent, or longer than 48 KiB
   */
  /// Bytes before the first frame.
  public static final int HEADER_BYTES = 40;

  /// The version of the wire that this release writes.
  public static final int VERSION = 1;

  /// The oldest version that this release reads and writes.
  public static final int OLDEST_VERSION = 1;

  private static final short MAGIC = 0x4844; // "HD"
  private static final int URGENT = 1;

  /// Reads the header.
  ///
  /// @param bytes of the packet; owned by the result
  public static Packet parse(byte[] bytes) throws MalformedPacketException {
    return parse(bytes, 0, bytes.length);
  }

  /// Reads the header of a packet in a part of an array.
  ///
  /// @param bytes of the packet; owned by the result
  /// @param start where it begins
  /// @param end where it ends
  public static Packet parse(byte[] bytes, int start, int end) throws MalformedPacketException {
    int length = end - start;
    if (length < HEADER_BYTES || length > Limits.PACKET_BYTES) {
      throw new MalformedPacketException(
          "a packet has %d to %d bytes, not %d"
              .formatted(HEADER_BYTES, Limits.PACKET_BYTES, length),
          0);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes, start, length);
    int magic = in.getShort();
    if (magic != MAGIC) {
      throw new MalformedPacketException("a packet begins with HD, not 0x%04x".formatted(magic), 0);
    }
    int version = Byte.toUnsignedInt(in.get());
    int flags = in.get();
    if ((flags & ~URGENT) != 0) {
      throw new MalformedPacketException("unknown flags 0x%02x".formatted(flags & 0xff), 3);
    }
    boolean urgent = flags == URGENT;
    if (urgent && length > Limits.URGENT_PACKET_BYTES) {
      throw new MalformedPacketException(
          "an urgent packet has at most %d bytes, not %d"
              .formatted(Limits.URGENT_PACKET_BYTES, length),
          0);
    }
    SessionId session = new SessionId(in.getLong(), in.getLong());
    long number = in.getLong();
    if (urgent ? number != 0 : number <= 0) {
      throw new MalformedPacketException("wrong number " + number, 20);
    }
    long ack = in.getLong();
    int window = in.getInt();
    if (ack < 0 || window < 0) {
      throw new MalformedPacketException("negative ack %d or window %d".formatted(ack, window), 28);
    }
    return new Packet(version, urgent, session, number, ack, window, bytes, start, end);
  }

  /// How many bytes it has.
  public int length() {
    return end - start;
  }

  /// Writes the header of a numbered packet in front of its frames.
  ///
  /// @param packet [#HEADER_BYTES], then one frame as [FrameCodec#encode] returns it, or several
  ///   with which the packet has at most [Limits#PACKED_PACKET_BYTES]
  /// @throws IllegalArgumentException when it is longer than any packet
  public static void writeHeader(
      byte[] packet, int version, SessionId session, long number, long ack, int window) {
    if (packet.length > Limits.PACKET_BYTES || number <= 0) {
      throw new IllegalArgumentException(
          "packet %d has %d bytes of at most %d"
              .formatted(number, packet.length, Limits.PACKET_BYTES));
    }
    header(ByteBuffer.wrap(packet), version, 0, session, number, ack, window);
  }

  /// Writes an urgent packet.
  ///
  /// @throws IllegalArgumentException when it is too large
  public static byte[] write(int version, SessionId session, long ack, int window, Urgent content) {
    byte[] frame = UrgentCodec.encode(content);
    int length = HEADER_BYTES + frame.length;
    if (length > Limits.URGENT_PACKET_BYTES) {
      throw new IllegalArgumentException(
          "%s has %d bytes of at most %d; name fewer labels or entries"
              .formatted(content.getClass().getSimpleName(), length, Limits.URGENT_PACKET_BYTES));
    }
    ByteBuffer out = ByteBuffer.allocate(length);
    header(out, version, URGENT, session, 0, ack, window);
    return out.put(frame).array();
  }

  private static void header(
      ByteBuffer out,
      int version,
      int flags,
      SessionId session,
      long number,
      long ack,
      int window) {
    out.putShort(MAGIC).put((byte) version).put((byte) flags);
    out.putLong(session.first()).putLong(session.second());
    out.putLong(number).putLong(ack).putInt(window);
  }

  /// Reads what an urgent packet carries.
  ///
  /// @throws IllegalStateException when it is not urgent
  public Urgent content() throws MalformedPacketException {
    if (!urgent) {
      throw new IllegalStateException("packet " + number + " is not urgent");
    }
    return UrgentCodec.decode(Arrays.copyOfRange(bytes, start, end));
  }
}
