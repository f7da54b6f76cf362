// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/// Direct buffers for transfers that may outlive their callers, used again and again.
///
/// **Thread** the loop's.
public final class TransferBuffers {
  /*
   * Memory of direct buffers is freed when the collector finds them, which it does not look for as long as the heap has room: a server of
   * short connections would take gigabytes. So what was given back is kept, as much as a busy loop has in use at a time.
   *
   * What is given back has no operation under way (FileOperation, trap 29). What never is, because the loop has ended under its
   * operation, is left to the collector.
   *
   * Rejected. Arenas that are closed: to close a shared one stops all threads for a moment, and a buffer whose operation outlives its loop
   * would never be freed. Freeing by hand: a mistake is a write into memory of somebody else's.
   */
  /// The most that one of them holds, in bytes: more would be copied in one go while the other
  /// coroutines wait.
  public static final int LARGE = 256 << 10;

  private static final int SMALL = 16 << 10; // bytes
  private static final int PAGE = 4096; // bytes; no block of a device is larger
  private static final int KEPT_LARGE = 16; // 4 MiB a loop
  private static final int KEPT_SMALL = 1_024; // 16 MiB a loop that had so many in use at a time

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
