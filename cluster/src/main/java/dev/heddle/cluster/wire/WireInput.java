// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Reads a part of a packet. Each length and count is compared with what is left before anything is
/// allocated. Owned by one thread.
final class WireInput {
  private final byte[] bytes;
  private final int end;
  private int at;

  WireInput(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  MalformedPacketException malformed(String what) {
    return new MalformedPacketException(what, at);
  }

  int position() {
    return at;
  }

  boolean hasMore() {
    return at < end;
  }

  int octet() throws MalformedPacketException {
    if (at == end) {
      throw malformed("the end, where an octet was expected");
    }
    return Byte.toUnsignedInt(bytes[at++]);
  }

  boolean flag() throws MalformedPacketException {
    return bits(1) == 1;
  }

  /// An octet of which only some bits may be set.
  int bits(int allowed) throws MalformedPacketException {
    int value = octet();
    if ((value & ~allowed) != 0) {
      at--;
      throw malformed("unknown bits 0x%02x".formatted(value & ~allowed));
    }
    return value;
  }

  long varint() throws MalformedPacketException {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int octet = octet();
      if (shift == 63 && octet > 1) {
        break;
      }
      value |= (long) (octet & 0x7f) << shift;
      if (octet < 0x80) {
        return value;
      }
    }
    throw malformed("a number of more than 64 bits");
  }

  /// A number that is not negative and at most `limit`.
  int number(int limit, String what) throws MalformedPacketException {
    int start = at;
    long value = varint();
    if (value < 0 || value > limit) {
      at = start;
      throw malformed("%s %s; at most %d".formatted(what, Long.toUnsignedString(value), limit));
    }
    return (int) value;
  }

  /// A count of parts that have `least` octets each, or more.
  int count(int least) throws MalformedPacketException {
    return number((end - at) / least, "a count of");
  }

  long fixed() throws MalformedPacketException {
    if (end - at < 8) {
      throw malformed("%d octets, where 8 were expected".formatted(end - at));
    }
    long value = ByteBuffer.wrap(bytes).getLong(at);
    at += 8;
    return value;
  }

  byte[] content() throws MalformedPacketException {
    return octets(Limits.MESSAGE_BYTES);
  }

  /// A content that stays where it is.
  Content contentInPlace() throws MalformedPacketException {
    int length = length(Limits.MESSAGE_BYTES);
    at += length;
    return Content.of(bytes, at - length, at);
  }

  String name() throws MalformedPacketException {
    return string(Limits.NAME_BYTES);
  }

  String nonEmptyName() throws MalformedPacketException {
    String name = name();
    if (name.isEmpty()) {
      throw malformed("an empty name");
    }
    return name;
  }

  String text() throws MalformedPacketException {
    return string(Limits.TEXT_BYTES);
  }

  private String string(int limit) throws MalformedPacketException {
    int length = length(limit);
    String value = new String(bytes, at, length, StandardCharsets.UTF_8);
    if (value.indexOf('\uFFFD') >= 0) { // which stands for octets that are not UTF-8, too
      try {
        var _ = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, at, length));
      } catch (CharacterCodingException e) {
        throw malformed("a text that is not UTF-8");
      }
    }
    at += length;
    return value;
  }

  private byte[] octets(int limit) throws MalformedPacketException {
    int length = length(limit);
    byte[] value = Arrays.copyOfRange(bytes, at, at + length);
    at += length;
    return value;
  }

  private int length(int limit) throws MalformedPacketException {
    int length = number(limit, "a length of");
    if (length > end - at) {
      throw malformed("a length of %d, where %d octets are left".formatted(length, end - at));
    }
    return length;
  }

  /// All that is left.
  byte[] rest() {
    return Arrays.copyOfRange(bytes, at, end);
  }

  /// The array that it reads; not to be changed.
  byte[] array() {
    return bytes;
  }

  /// Where its part of the array ends.
  int end() {
    return end;
  }

  /// The next part, of the length that it begins with.
  WireInput part() throws MalformedPacketException {
    int length = length(Limits.FRAME_BYTES);
    WireInput part = new WireInput(bytes, at, at + length);
    at += length;
    return part;
  }

  void checkEnd() throws MalformedPacketException {
    if (hasMore()) {
      throw malformed("%d octets after the end of a frame".formatted(end - at));
    }
  }
}
