// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.nio.charset.StandardCharsets;
import java.util.Collection;

/// Looks whether a class file mentions one of some names at all, without parsing it: most class
/// files do not, and a program loads thousands.
final class ConstantScan {
  private static final int FIRST_ENTRY = 10; // of the constant pool, in bytes

  private final byte[][] names;

  ConstantScan(Collection<String> names) {
    this.names =
        names.stream()
            .distinct()
            .map(name -> name.getBytes(StandardCharsets.US_ASCII))
            .toArray(byte[][]::new);
  }

  /// Whether one of the names is a text of the constant pool; true, too, where the pool has an
  /// entry of a kind that this class does not know.
  boolean mentions(byte[] file) {
    int at = FIRST_ENTRY;
    int count = unsigned16(file, FIRST_ENTRY - 2);
    for (int i = 1; i < count; i++) {
      int tag = file[at];
      if (tag == 1 && isName(file, at + 3, unsigned16(file, at + 1))) {
        return true;
      }
      int length = lengthOf(tag, file, at);
      if (length < 0) {
        return true;
      }
      at += length;
      i += tag == 5 || tag == 6 ? 1 : 0; // long and double take two numbers
    }
    return false;
  }

  // JVM specification, table 4.4-A
  private static int lengthOf(int tag, byte[] file, int at) {
    return switch (tag) {
      case 1 -> 3 + unsigned16(file, at + 1);
      case 3, 4, 9, 10, 11, 12, 17, 18 -> 5;
      case 5, 6 -> 9;
      case 7, 8, 16, 19, 20 -> 3;
      case 15 -> 4;
      default -> -1;
    };
  }

  private boolean isName(byte[] file, int at, int length) {
    for (byte[] name : names) {
      if (name.length == length && matches(file, at, name)) {
        return true;
      }
    }
    return false;
  }

  private static boolean matches(byte[] file, int at, byte[] name) {
    for (int i = 0; i < name.length; i++) {
      if (file[at + i] != name[i]) {
        return false;
      }
    }
    return true;
  }

  private static int unsigned16(byte[] file, int at) {
    return ((file[at] & 0xff) << 8) | (file[at + 1] & 0xff);
  }
}
