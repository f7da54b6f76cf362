// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.process.NotSendableException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Writes the body of one frame. Owned by one thread.
final class WireOutput {
  static final int MORE = 0x80; // in all but the last octet of a varint

  private static final int RESERVED = 5; // bytes for the length, which is known at the end

  private byte[] bytes;
  private int start; // the length is written in front of it
  private int end;

  WireOutput() {
    bytes = new byte[48]; // an address, a kind, some numbers
    start = RESERVED;
    end = RESERVED;
  }

  WireOutput octet(int value) {
    reserve(1);
    bytes[end++] = (byte) value;
    return this;
  }

  WireOutput flag(boolean value) {
    return octet(value ? 1 : 0);
  }

  /// Seven bits an octet, the lowest first; all but the last octet have the highest bit set.
  WireOutput varint(long value) {
    reserve(varintLength(value));
    end = putVarint(bytes, end, value);
    return this;
  }

  /// Writes a number into an array that has space for it.
  ///
  /// @return where the next byte goes
  static int putVarint(byte[] target, int at, long value) {
    int next = at;
    long rest = value;
    while ((rest & -MORE) != 0) {
      target[next++] = (byte) (rest | MORE);
      rest >>>= 7;
    }
    target[next++] = (byte) rest;
    return next;
  }

  WireOutput fixed(long value) {
    reserve(8);
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes[end++] = (byte) (value >>> shift);
    }
    return this;
  }

  WireOutput content(byte[] value) {
    return lengthOf(value).append(value, 0, value.length);
  }

  /// Writes what stands before a content that is written elsewhere.
  WireOutput lengthOf(byte[] value) {
    return contentLength(value.length);
  }

  /// Writes what stands before the bytes of a content, which are written elsewhere.
  WireOutput headOf(Content value) {
    value.writeHead(contentLength(value.length()));
    return this;
  }

  private WireOutput contentLength(int length) {
    return varint(checkContent(length));
  }

  private static int checkContent(int length) {
    if (length > Limits.MESSAGE_BYTES) {
      throw new NotSendableException(
          "a content of %d bytes; a message has at most %d"
              .formatted(length, Limits.MESSAGE_BYTES));
    }
    return length;
  }

  /// How many bytes a content has, with its length.
  static int contentSize(int length) {
    return varintLength(checkContent(length)) + length;
  }

  static int varintLength(long value) {
    return 1 + (63 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }

  /// @throws NotSendableException when it is longer than a name may be
  WireOutput name(String value) {
    whole(value, Limits.NAME_BYTES);
    return this;
  }

  /// @throws NotSendableException when it is longer than a text may be
  WireOutput signature(String value) {
    whole(value, Limits.TEXT_BYTES);
    return this;
  }

  private void whole(String value, int limit) {
    byte[] utf8 = utf8(value, limit);
    octets(utf8, utf8.length);
  }

  private static byte[] utf8(String value, int limit) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    if (utf8.length > limit) {
      throw new NotSendableException(
          "the name '%s…' has %d bytes in UTF-8; at most %d can be sent to another node"
              .formatted(value.substring(0, Math.min(60, value.length())), utf8.length, limit));
    }
    return utf8;
  }

  /// Writes a text for people; of one that is too long, the beginning.
  WireOutput text(String value) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(utf8.length, Limits.TEXT_BYTES);
    while (length < utf8.length && (utf8[length] & 0xc0) == 0x80) {
      length--; // not within a character
    }
    octets(utf8, length);
    return this;
  }

  private void octets(byte[] value, int length) {
    var _ = varint(length).append(value, 0, length);
  }

  WireOutput append(byte[] value, int start, int length) {
    reserve(length);
    System.arraycopy(value, start, bytes, end, length);
    end += length;
    return this;
  }

  private void reserve(int count) {
    if (bytes.length - end < count) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, end + count));
    }
  }

  /// What was written.
  byte[] body() {
    return Arrays.copyOfRange(bytes, RESERVED, end);
  }

  /// What was written, after its length: a whole frame.
  ///
  /// @throws NotSendableException when it is longer than a frame may be
  byte[] frame() {
    finished(0);
    return Arrays.copyOfRange(bytes, start, end);
  }

  /// Writes the length of the frame in front of what was written: this is then the head of the
  /// frame.
  ///
  /// @param tail how many bytes follow, which belong to the frame
  /// @throws NotSendableException when the frame is longer than one may be
  WireOutput finished(int tail) {
    int length = checkFrame(end - RESERVED + tail);
    start = RESERVED;
    int groups = 1;
    while (length >>> (7 * groups) != 0) {
      groups++;
    }
    for (int i = groups - 1; i >= 0; i--) {
      int more = i == groups - 1 ? 0 : 0x80;
      bytes[--start] = (byte) (((length >>> (7 * i)) & 0x7f) | more);
    }
    return this;
  }

  /// @throws NotSendableException when a frame is longer than one may be
  static int checkFrame(int length) {
    if (length > Limits.FRAME_BYTES) {
      throw new NotSendableException(
          "a frame of %d bytes; at most %d can be sent to another node"
              .formatted(length, Limits.FRAME_BYTES));
    }
    return length;
  }

  /// How many bytes were written, with the length in front of them.
  int size() {
    return end - start;
  }

  /// Copies all but the first one.
  ///
  /// @return that one
  byte copyBehindFirst(byte[] target, int at) {
    System.arraycopy(bytes, start + 1, target, at + 1, end - start - 1);
    return bytes[start];
  }
}
