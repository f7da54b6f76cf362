// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/// Direct buffers for transfers that may outlive their callers, used again and again.
///
/// **Thread** the loop's.
public final class TransferBuffers {
  /// The most that one of them holds, in bytes: more would be copied in one go while the other
  /// coroutines wait.
  public static final int LARGE = 256 << 10;

  private static final int SMALL = 16 << 10; // bytes
  private static final int PAGE = 4096; // bytes; no block of a device is larger
  private static final int KEPT_LARGE = 16; // 4 MiB a loop
  private static final int KEPT_SMALL = 64; // 1 MiB a loop

  private final ArrayDeque<ByteBuffer> large = new ArrayDeque<>();
  private final ArrayDeque<ByteBuffer> small = new ArrayDeque<>();

  TransferBuffers() {}

  /// An empty one, with room for `wanted` bytes or for [#LARGE].
  public ByteBuffer take(long wanted) {
    boolean isSmall = wanted <= SMALL;
    ByteBuffer kept = (isSmall ? small : large).poll();
    ByteBuffer buffer = kept == null ? aligned(isSmall ? SMALL : LARGE) : kept;
    return buffer.clear().limit((int) Math.min(wanted, buffer.capacity()));
  }

  /// Begins where a page does: reads and writes past the system's cache go to no other place.
  private static ByteBuffer aligned(int size) {
    return ByteBuffer.allocateDirect(size + PAGE - 1).alignedSlice(PAGE);
  }

  /// Takes back one that nobody uses any more.
  public void giveBack(ByteBuffer buffer) {
    boolean isSmall = buffer.capacity() == SMALL;
    ArrayDeque<ByteBuffer> kept = isSmall ? small : large;
    if (kept.size() < (isSmall ? KEPT_SMALL : KEPT_LARGE)) {
      kept.push(buffer);
    }
  }
}
