// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Reads CBOR (RFC 8949) of the kinds that [CborOutput] writes; of others it is told only that they
/// are not what was expected. Each length and count is compared with what is left before anything
/// is allocated, and each octet is looked at once. Owned by one thread.
final class CborInput {
  /*
   * Not read: tags, maps, streams of unknown length, half floats. Nobody writes them here, and each
   * is a way to make a reader work: Jackson 3.2.2 took minutes for a MiB of tags before one value.
   */
  private final byte[] bytes;
  private final int end;
  private int at;

  CborInput(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  boolean isAtEnd() {
    return at == end;
  }

  /// Reads a null, if there is one.
  boolean skipNull() {
    if (at < end && Byte.toUnsignedInt(bytes[at]) == CborOutput.NULL) {
      at++;
      return true;
    }
    return false;
  }

  long integer(String expected) {
    int head = octet(expected);
    int major = head & 0xe0;
    if (major != CborOutput.INTEGER && major != CborOutput.NEGATIVE) {
      throw unexpected(head, expected);
    }
    long argument = argument(head, expected);
    if (argument < 0) {
      throw wrong("a number of more than 64 bits, where %s was expected".formatted(expected));
    }
    return major == CborOutput.INTEGER ? argument : ~argument;
  }

  String text(String expected) {
    int length = length(CborOutput.TEXT, expected);
    String value = new String(bytes, at, length, StandardCharsets.UTF_8);
    if (value.indexOf('\uFFFD') >= 0) { // which stands for octets that are not UTF-8, too
      try {
        var _ = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, at, length));
      } catch (CharacterCodingException e) {
        throw wrong("a text that is not UTF-8");
      }
    }
    at += length;
    return value;
  }

  byte[] binary(String expected) {
    int length = length(CborOutput.BYTES, expected);
    byte[] value = Arrays.copyOfRange(bytes, at, at + length);
    at += length;
    return value;
  }

  /// Reads the beginning of an array.
  ///
  /// @return how many items follow; at most as many as octets are left
  int array(String expected) {
    return length(CborOutput.ARRAY, expected);
  }

  boolean bool(String expected) {
    int head = octet(expected);
    if (head != CborOutput.TRUE && head != CborOutput.FALSE) {
      throw unexpected(head, expected);
    }
    return head == CborOutput.TRUE;
  }

  float float32(String expected) {
    int head = octet(expected);
    if (head != CborOutput.FLOAT) {
      throw unexpected(head, expected);
    }
    return Float.intBitsToFloat((int) fixed(4, expected));
  }

  double float64(String expected) {
    int head = octet(expected);
    if (head != CborOutput.DOUBLE) {
      throw unexpected(head, expected);
    }
    return Double.longBitsToDouble(fixed(8, expected));
  }

  /// Skips a value of any kind.
  void skip() {
    String expected = "a value";
    for (long left = 1; left > 0; left--) {
      int head = octet(expected);
      switch (head & 0xe0) {
        case CborOutput.INTEGER, CborOutput.NEGATIVE -> {
          long _ = argument(head, expected);
        }
        case CborOutput.BYTES, CborOutput.TEXT -> {
          int length = lengthOf(head, expected); // moves `at`
          at += length;
        }
        case CborOutput.ARRAY -> left += lengthOf(head, expected);
        default -> skipSimple(head, expected);
      }
    }
  }

  private void skipSimple(int head, String expected) {
    switch (head) {
      case CborOutput.FALSE, CborOutput.TRUE, CborOutput.NULL -> {}
      case CborOutput.FLOAT -> {
        long _ = fixed(4, expected);
      }
      case CborOutput.DOUBLE -> {
        long _ = fixed(8, expected);
      }
      default -> throw unexpected(head, expected);
    }
  }

  // ---- octets ----

  private int octet(String expected) {
    if (at == end) {
      throw wrong("the end, where %s was expected".formatted(expected));
    }
    return Byte.toUnsignedInt(bytes[at++]);
  }

  private int length(int major, String expected) {
    int head = octet(expected);
    if ((head & 0xe0) != major) {
      throw unexpected(head, expected);
    }
    return lengthOf(head, expected);
  }

  private int lengthOf(int head, String expected) {
    long length = argument(head, expected);
    if (length < 0 || length > end - at) {
      throw wrong(
          "a length of %s, where %d octets are left"
              .formatted(Long.toUnsignedString(length), end - at));
    }
    return (int) length;
  }

  private long argument(int head, String expected) {
    int low = head & 0x1f;
    if (low < 24) {
      return low;
    }
    if (low > 27) {
      throw unexpected(head, expected);
    }
    return fixed(1 << (low - 24), expected);
  }

  private long fixed(int length, String expected) {
    if (end - at < length) {
      throw wrong("the end, within %s".formatted(expected));
    }
    long value = 0;
    for (int i = 0; i < length; i++) {
      value = value << 8 | Byte.toUnsignedInt(bytes[at++]);
    }
    return value;
  }

  private Undecodable unexpected(int head, String expected) {
    at--;
    return wrong("an item 0x%02x, where %s was expected".formatted(head, expected));
  }

  private Undecodable wrong(String what) {
    return Undecodable.wrongShape("%s, at byte %d".formatted(what, at));
  }
}
