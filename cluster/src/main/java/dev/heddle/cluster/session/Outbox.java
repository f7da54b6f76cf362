// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import dev.heddle.cluster.wire.Limits;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.internal.SpinLock;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The frames of a session that wait for its writer, in order, as the packets that they leave in.
/// Any thread; nothing here waits.
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
   * A frame is copied behind those of the last packet, as long as there is space. So the writer
   * takes a packet as it is, and does not touch hundreds of arrays of other processors while senders
   * wait for the lock.
   *
   * Locks. Workers call offer under locks of their own, so the lock here parks nobody, and is the
   * last one that is taken. Futures complete outside of it: what depends on them is foreign code.
   *
   * I1. Frames leave in the order in which they were accepted. [OutboxTest]
   * I2. Bytes are those of the frames that wait. [OutboxTest]
   * I3. A waiter completes when there is space, or at the end. [OutboxTest]
   * I4. A packet has one frame, or at most 48 KiB. [OutboxTest]
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

  private static final int LEAST_BYTES = 512; // of the array of a packet
  private static final int MOST_BYTES = Limits.PACKED_PACKET_BYTES;

  /// A packet without its header. Under the lock until the writer has taken it.
  private static final class Packed {
    byte[] bytes;
    int end = Packet.HEADER_BYTES;
    int frames;

    Packed(int capacity) {
      bytes = new byte[capacity];
    }

    void add(byte[] head, byte[] tail) {
      int needed = end + head.length + tail.length;
      if (needed > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(needed, Math.min(2 * bytes.length, MOST_BYTES)));
      }
      System.arraycopy(head, 0, bytes, end, head.length);
      System.arraycopy(tail, 0, bytes, end + head.length, tail.length);
      end = needed;
      frames++;
    }
  }

  private final SpinLock lock = new SpinLock();

  // under the lock
  private final Deque<Packed> packets = new ArrayDeque<>(4);
  private @Nullable CompletableFuture<@Nullable Void> space; // that senders wait for
  private boolean closed;

  private volatile long bytes; // written under the lock

  /// Adds a frame.
  ///
  /// @param head its first bytes
  /// @param tail the others
  public Result offer(byte[] head, byte[] tail, Kind kind) {
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
      int length = head.length + tail.length;
      packetFor(length).add(head, tail);
      bytes += length;
      return Result.ACCEPTED;
    } finally {
      lock.unlock();
    }
  }

  private Packed packetFor(int length) {
    Packed last = packets.peekLast();
    if (last != null && last.end + length <= MOST_BYTES) {
      return last;
    }
    int least = last == null ? LEAST_BYTES : MOST_BYTES; // the writer is behind: more will follow
    Packed next = new Packed(Math.max(least, Packet.HEADER_BYTES + length));
    packets.add(next);
    return next;
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

  /// Takes the next packet: as many frames as fit into 48 KiB, or one that does not.
  ///
  /// @param most bytes of the packet, its header included
  /// @return the packet with space for its header, which the caller writes; null when there is
  ///   none, or it is longer
  public byte @Nullable [] next(long most) {
    Packed first;
    CompletableFuture<@Nullable Void> free = null;
    lock.lock();
    try {
      first = packets.peek();
      if (first == null || first.end > most) {
        return null;
      }
      packets.remove();
      bytes -= first.end - Packet.HEADER_BYTES;
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
    return first.end == first.bytes.length ? first.bytes : Arrays.copyOf(first.bytes, first.end);
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
      dropped = packets.stream().mapToInt(packet -> packet.frames).sum();
      packets.clear();
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
