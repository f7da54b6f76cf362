// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/// A pool of direct buffers for transfers that may outlive their callers.
///
/// **Thread** the loop's.
public final class TransferBuffers {
  /*
   * The memory of a direct buffer is freed when the garbage collector finds it unreachable, and the
   * collector does not run while the heap has space. A server of short connections would take
   * gigabytes. So released buffers are pooled, as many as a busy loop uses at a time.
   *
   * A released buffer has no operation under way (FileOperation, trap-29). A buffer that is never
   * released, because the loop has ended during its operation, is left to the garbage collector.
   *
   * Rejected. Arenas that are closed: closing a shared one stops all threads for a moment, and a
   * buffer whose operation outlives its loop would never be freed. Freeing by hand: a mistake is a
   * write into memory that others use.
   */
  /// The largest capacity, in bytes: a larger buffer would be copied in one go while other
  /// coroutines wait.
  public static final int LARGE = 256 << 10;

  private static final int SMALL = 16 << 10; // bytes
  private static final int PAGE =
      4096; // bytes; direct I/O aligns to a device's block, which is no larger
  private static final int KEPT_LARGE = 16; // 4 MiB a loop
  private static final int KEPT_SMALL = 1_024; // 16 MiB for a loop that used them all at a time

  private final ArrayDeque<ByteBuffer> large = new ArrayDeque<>();
  private final ArrayDeque<ByteBuffer> small = new ArrayDeque<>();

  TransferBuffers() {}

  /// An empty buffer with space for `wanted` bytes, or for [#LARGE] if that is less.
  public ByteBuffer acquire(long wanted) {
    boolean isSmall = wanted <= SMALL;
    ByteBuffer kept = (isSmall ? small : large).poll();
    ByteBuffer buffer =
        kept == null
            ? ByteBuffer.allocateDirect((isSmall ? SMALL : LARGE) + PAGE - 1).alignedSlice(PAGE)
            : kept;
    return buffer.clear().limit((int) Math.min(wanted, buffer.capacity()));
  }

  public void release(ByteBuffer buffer) {
    boolean isSmall = buffer.capacity() == SMALL;
    ArrayDeque<ByteBuffer> kept = isSmall ? small : large;
    if (kept.size() < (isSmall ? KEPT_SMALL : KEPT_LARGE)) {
      kept.push(buffer);
    }
  }
}
