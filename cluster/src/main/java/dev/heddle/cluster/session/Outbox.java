// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import dev.heddle.cluster.wire.Limits;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.internal.SpinLock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The frames of a session that wait for its writer, in order. Any thread; nothing here waits.
@SuppressWarnings("NonAtomicVolatileUpdate") // `bytes` is written under the lock
public final class Outbox {
  /// From so many bytes on it takes no messages.
  public static final int FULL_BYTES = 4 * 1024 * 1024;

  /// More than so many bytes end the session: then answers and DOWNs alone have filled it, which
  /// are taken in any case.
  public static final int OVERFLOW_BYTES = 16 * FULL_BYTES;

  /*
   * States.   from     event                    to       result
   *           OPEN     a frame, space           OPEN     ACCEPTED
   *           OPEN     a message, >= 4 MiB      OPEN     FULL
   *           OPEN     control, >= 64 MiB       OPEN     OVERFLOW: the caller ends the session
   *           OPEN     next                     OPEN     frames; waiters complete at <= 2 MiB
   *           OPEN     close                    CLOSED   what waited is counted and dropped
   *           CLOSED   a frame                  CLOSED   CLOSED
   *
   * Locks. Workers call offer under locks of their own, so the lock here parks nobody, and is the
   * last one that is taken. Futures complete outside of it: what depends on them is foreign code.
   *
   * I1. Frames leave in the order in which they were accepted. [OutboxTest]
   * I2. Bytes are those of the frames that wait. [OutboxTest]
   * I3. A waiter completes when there is space, or at the end. [OutboxTest]
   */

  /// Whether a frame may be refused.
  public enum Kind {
    /// only when the outbox is full
    MESSAGE,
    /// never: the other node waits for it
    CONTROL
  }

  /// What became of a frame.
  public enum Result {
    ACCEPTED,
    FULL,
    OVERFLOW,
    CLOSED
  }

  private static final CompletableFuture<@Nullable Void> SPACE =
      CompletableFuture.completedFuture(null);

  private final SpinLock lock = new SpinLock();

  // under the lock
  private final Deque<byte[]> frames = new ArrayDeque<>();
  private @Nullable CompletableFuture<@Nullable Void> space; // that senders wait for
  private boolean closed;

  private volatile long bytes; // written under the lock

  /// Adds a frame.
  public Result offer(byte[] frame, Kind kind) {
    lock.lock();
    try {
      if (closed) {
        return Result.CLOSED;
      }
      if (kind == Kind.MESSAGE && bytes >= FULL_BYTES) {
        return Result.FULL;
      }
      if (bytes >= OVERFLOW_BYTES) {
        return Result.OVERFLOW;
      }
      frames.add(frame);
      bytes += frame.length;
      return Result.ACCEPTED;
    } finally {
      lock.unlock();
    }
  }

  /// Completes when half of the space for messages is free, at once when it is not full; also when
  /// the session has ended. Callers do not complete it.
  public CompletableFuture<@Nullable Void> space() {
    lock.lock();
    try {
      if (closed || bytes < FULL_BYTES) {
        return SPACE;
      }
      CompletableFuture<@Nullable Void> waiting = space;
      if (waiting == null) {
        waiting = new CompletableFuture<>();
        space = waiting;
      }
      return waiting;
    } finally {
      lock.unlock();
    }
  }

  /// Takes the frames of the next packet: as many as fit into 48 KiB, or one that does not.
  ///
  /// @param most bytes of the packet, its header included
  /// @return empty when there are none, or the first does not fit
  public List<byte[]> next(long most) {
    List<byte[]> taken = new ArrayList<>();
    CompletableFuture<@Nullable Void> free = null;
    lock.lock();
    try {
      long length = Packet.HEADER_BYTES;
      byte[] first;
      while ((first = frames.peek()) != null && length + first.length <= most) {
        length += first.length;
        if (!taken.isEmpty() && length > Limits.PACKED_PACKET_BYTES) {
          break;
        }
        taken.add(frames.remove());
        bytes -= first.length;
      }
      if (bytes <= FULL_BYTES / 2) {
        free = space;
        space = null;
      }
    } finally {
      lock.unlock();
    }
    if (free != null) {
      free.complete(null);
    }
    return taken;
  }

  /// Takes no more frames, and drops those that wait.
  ///
  /// @return how many were dropped
  public int close() {
    CompletableFuture<@Nullable Void> free;
    int dropped;
    lock.lock();
    try {
      closed = true;
      dropped = frames.size();
      frames.clear();
      bytes = 0;
      free = space;
      space = null;
    } finally {
      lock.unlock();
    }
    if (free != null) {
      free.complete(null);
    }
    return dropped;
  }

  /// How many bytes of frames wait.
  public long bytes() {
    return bytes;
  }
}
