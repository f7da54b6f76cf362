// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

/// A frame on its way into a packet. Its size is known before it is written, so it gets a place in
/// the packet first. It refers to what belongs to the program: write it before that may change.
public interface EncodedFrame {
  /// How many bytes it has; at least two, since it begins with its length.
  int size();

  /// Writes all but the first byte, which is never 0. Takes no memory, and does not fail: its place
  /// in the packet is claimed already, and those behind it wait.
  ///
  /// @param packet has space for the whole frame
  /// @param at where it begins
  /// @return the first byte, for the caller to write: so whoever finds it there finds the others
  byte writeTo(byte[] packet, int at);

  /// How many bytes a frame has.
  ///
  /// @param packet has the whole frame
  /// @param at where it begins
  static int sizeAt(byte[] packet, int at) {
    int length = 0;
    int prefix = 0;
    byte octet;
    do {
      octet = packet[at + prefix];
      length |= (octet & 0x7f) << (7 * prefix);
      prefix++;
    } while (octet < 0);
    return prefix + length;
  }

  /// The bytes of a frame, in an array of their own.
  static byte[] toBytes(EncodedFrame frame) {
    byte[] bytes = new byte[frame.size()];
    bytes[0] = frame.writeTo(bytes, 0);
    return bytes;
  }
}
