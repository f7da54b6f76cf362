// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import java.nio.ByteBuffer;

/// The buffers of a write, of which pieces are taken; what of a piece could not be written is given
/// back to them, so that their positions say what was.
final class WriteSource {
  private final ByteBuffer[] from;
  private final int[] starts; // of what the last piece took
  private int next; // the first that may have bytes

  WriteSource(ByteBuffer... from) {
    this.from = from;
    this.starts = new int[from.length];
    for (int i = 0; i < from.length; i++) {
      starts[i] = from[i].position();
    }
  }

  /// How many bytes no piece has taken.
  long remaining() {
    long sum = 0;
    for (int i = next; i < from.length; i++) {
      sum += from[i].remaining();
    }
    return sum;
  }

  /// Takes as much as `piece` has room for.
  void fill(ByteBuffer piece) {
    while (next < from.length) {
      starts[next] = from[next].position();
      Handle.move(from[next], piece);
      if (from[next].hasRemaining()) {
        return;
      }
      next++;
    }
  }

  /// Gives back the last bytes of the last piece.
  void unread(int bytes) {
    int left = bytes;
    for (int i = Math.min(next, from.length - 1); left > 0; i--) {
      int n = Math.min(left, from[i].position() - starts[i]);
      from[i].position(from[i].position() - n);
      left -= n;
    }
  }
}
