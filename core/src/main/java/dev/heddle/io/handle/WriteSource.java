// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import java.nio.ByteBuffer;

/// The buffers of a write, from which pieces are taken. Bytes of a piece that were not written are
/// returned, so that the buffers' positions tell what was written.
final class WriteSource {
  private final ByteBuffer[] from;
  private final int[] starts; // where the last piece began in each buffer
  private int next; // the first buffer that may have bytes

  WriteSource(ByteBuffer... from) {
    this.from = from;
    this.starts = new int[from.length];
    for (int i = 0; i < from.length; i++) {
      starts[i] = from[i].position();
    }
  }

  long remaining() {
    long sum = 0;
    for (int i = next; i < from.length; i++) {
      sum += from[i].remaining();
    }
    return sum;
  }

  /// Moves as many bytes into `piece` as fit.
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

  /// Returns the last bytes of the last piece.
  void unread(int bytes) {
    int left = bytes;
    for (int i = Math.min(next, from.length - 1); left > 0; i--) {
      int n = Math.min(left, from[i].position() - starts[i]);
      from[i].position(from[i].position() - n);
      left -= n;
    }
  }
}
