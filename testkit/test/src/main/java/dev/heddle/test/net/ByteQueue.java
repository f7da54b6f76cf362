// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/// Bytes that have arrived and were not read.
final class ByteQueue {
  private final ArrayDeque<ByteBuffer> pieces = new ArrayDeque<>();
  private int size;

  int size() {
    return size;
  }

  void add(byte[] bytes) {
    if (bytes.length > 0) {
      pieces.add(ByteBuffer.wrap(bytes));
      size += bytes.length;
    }
  }

  /// Moves the oldest bytes.
  ///
  /// @param most how many; no more than there are, and than there is room for
  void take(ByteBuffer into, int most) {
    int left = most;
    while (left > 0 && pieces.peek() instanceof ByteBuffer piece) {
      int n = Math.min(left, piece.remaining());
      into.put(piece.slice(piece.position(), n));
      piece.position(piece.position() + n);
      left -= n;
      size -= n;
      if (!piece.hasRemaining()) {
        pieces.remove();
      }
    }
  }
}
