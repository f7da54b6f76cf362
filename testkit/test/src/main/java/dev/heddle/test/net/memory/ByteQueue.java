// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

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
    while (left > 0) {
      ByteBuffer piece = pieces.element(); // safe: there are as many as the caller asks for
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
