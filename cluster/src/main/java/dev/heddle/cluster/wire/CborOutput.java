// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Writes CBOR (RFC 8949), up to the size of a message: integers, texts, byte strings, arrays,
/// floats, true, false, null; lengths before contents, numbers in their shortest form. Owned by one
/// thread.
final class CborOutput {
  static final int INTEGER = 0; // major types, shifted
  static final int NEGATIVE = 1 << 5;
  static final int BYTES = 2 << 5;
  static final int TEXT = 3 << 5;
  static final int ARRAY = 4 << 5;
  static final int MAP = 5 << 5;
  static final int TAG = 6 << 5;
  static final int FALSE = 0xf4;
  static final int TRUE = 0xf5;
  static final int NULL = 0xf6;
  static final int FLOAT = 0xfa;
  static final int DOUBLE = 0xfb;

  private byte[] bytes = new byte[128];
  private int end;

  /// Writes a number in front of the CBOR, as [WireOutput#varint] does.
  void varint(int value) {
    reserve(5);
    int rest = value;
    while (rest >= 0x80) {
      bytes[end++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[end++] = (byte) rest;
  }

  void integer(long value) {
    if (value >= 0) {
      head(INTEGER, value);
    } else {
      head(NEGATIVE, ~value);
    }
  }

  /// @throws Unsendable when it has half of a surrogate pair, which UTF-8 cannot express
  void text(String value) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    if (utf8.length == value.length()) { // all ASCII, or with a '?' for such a half
      checkNoSurrogate(value);
    } else if (!value.equals(new String(utf8, StandardCharsets.UTF_8))) {
      throw noUnicode();
    }
    head(TEXT, utf8.length);
    append(utf8);
  }

  private static void checkNoSurrogate(String value) {
    for (int i = 0; i < value.length(); i++) {
      if (Character.isSurrogate(value.charAt(i))) {
        throw noUnicode();
      }
    }
  }

  private static Unsendable noUnicode() {
    return new Unsendable("has half of a surrogate pair, which is no character");
  }

  void binary(byte[] value) {
    head(BYTES, value.length);
    append(value);
  }

  /// Begins an array, of as many items as follow.
  void array(int size) {
    head(ARRAY, size);
  }

  void bool(boolean value) {
    octet(value ? TRUE : FALSE);
  }

  void nothing() {
    octet(NULL);
  }

  void float32(float value) {
    octet(FLOAT);
    fixed(Float.floatToRawIntBits(value), 4);
  }

  void float64(double value) {
    octet(DOUBLE);
    fixed(Double.doubleToRawLongBits(value), 8);
  }

  /// What was written, in the array that it was written to.
  Content toContent() {
    return Content.of(bytes, 0, end);
  }

  /// What was written.
  byte[] toBytes() {
    return Arrays.copyOf(bytes, end);
  }

  // ---- octets ----

  private void head(int major, long argument) {
    if (argument < 24) {
      octet(major | (int) argument);
    } else if (argument < 1 << 8) {
      octet(major | 24);
      fixed(argument, 1);
    } else if (argument < 1 << 16) {
      octet(major | 25);
      fixed(argument, 2);
    } else if (argument < 1L << 32) {
      octet(major | 26);
      fixed(argument, 4);
    } else {
      octet(major | 27);
      fixed(argument, 8);
    }
  }

  private void octet(int value) {
    reserve(1);
    bytes[end++] = (byte) value;
  }

  private void fixed(long value, int length) {
    reserve(length);
    for (int shift = 8 * (length - 1); shift >= 0; shift -= 8) {
      bytes[end++] = (byte) (value >>> shift);
    }
  }

  private void append(byte[] value) {
    reserve(value.length);
    System.arraycopy(value, 0, bytes, end, value.length);
    end += value.length;
  }

  private void reserve(int count) {
    if (count <= bytes.length - end) {
      return;
    }
    if (count > Limits.MESSAGE_BYTES - end) {
      throw new Unsendable(
          "has more than %d bytes, the limit of a message; send it in parts"
              .formatted(Limits.MESSAGE_BYTES));
    }
    int size = Math.max(bytes.length * 2, end + count);
    bytes = Arrays.copyOf(bytes, Math.min(size, Limits.MESSAGE_BYTES));
  }
}
