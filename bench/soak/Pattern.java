// SPDX-License-Identifier: Apache-2.0

import module java.base;

/// Bytes that say whose they are: each is made of its owner's number and its place. What comes back
/// is compared byte by byte, so that another's bytes, a lost or a doubled one show.
///
/// **Thread** the loop's.
final class Pattern {
  private static final int WRONG_SHOWN = 10;

  private final List<String> wrong = new ArrayList<>();
  private long checked; // bytes
  private long wrongs;
  private int owners;

  /// A number that was not given before.
  int next() {
    return owners++;
  }

  static byte at(int owner, int place) {
    int mixed = (owner * 0x9E3779B9 + place) * 0x85EBCA6B; // odd factors: each bit matters
    return (byte) (mixed >>> 24);
  }

  static ByteBuffer bytes(int owner, int size) {
    ByteBuffer bytes = ByteBuffer.allocate(size);
    for (int i = 0; i < size; i++) {
      bytes.put(at(owner, i));
    }
    return bytes.flip();
  }

  /// Compares all that remains in `came`.
  void check(String what, int owner, ByteBuffer came) {
    check(what + " of " + owner, bytes(owner, came.remaining()), came);
  }

  /// Compares all that remains in both.
  void check(String what, ByteBuffer expected, ByteBuffer came) {
    checked += came.remaining();
    int at = expected.mismatch(came);
    if (at >= 0) {
      wrong(
          "%s: byte %d of %d and %d".formatted(what, at, expected.remaining(), came.remaining()));
    }
  }

  /// Something else that must not be.
  void wrong(String what) {
    wrongs++;
    if (wrong.size() < WRONG_SHOWN) {
      wrong.add(what);
    }
  }

  /// In bytes.
  long checked() {
    return checked;
  }

  long wrongs() {
    return wrongs;
  }

  /// The first of them.
  List<String> shown() {
    return wrong;
  }
}
