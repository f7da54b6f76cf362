// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/// Memory segments as buffers of less than 2^31 bytes each.
final class Segments {
  private static final long PIECE = 1L << 30; // bytes: a power of two below that

  private Segments() {}

  static boolean isOne(MemorySegment segment) {
    return segment.byteSize() <= PIECE;
  }

  static ByteBuffer first(MemorySegment segment) {
    return piece(segment, 0);
  }

  static ByteBuffer[] pieces(MemorySegment segment) {
    ByteBuffer[] pieces = new ByteBuffer[Math.toIntExact(Math.ceilDiv(segment.byteSize(), PIECE))];
    for (int i = 0; i < pieces.length; i++) {
      pieces[i] = piece(segment, i * PIECE);
    }
    return pieces;
  }

  private static ByteBuffer piece(MemorySegment segment, long from) {
    return segment.asSlice(from, Math.min(PIECE, segment.byteSize() - from)).asByteBuffer();
  }
}
