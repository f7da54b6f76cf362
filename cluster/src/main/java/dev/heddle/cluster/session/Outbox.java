// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import dev.heddle.cluster.wire.Content;
import dev.heddle.cluster.wire.Limits;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.WireOutput;
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
   * A frame is copied behind those of the last packet, as long as there is space: at most 8 KiB
   * under the lock. So the writer takes a packet as it is, and does not touch hundreds of arrays of
   * other processors while senders wait for the lock. The first packet has an array of twice the
   * last one's size, later ones of 48 KiB.
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
  private static final int LARGE_BYTES = 8 * 1024; // from here on a frame has a packet of its own

  /// A packet in the first bytes of an array, with space for its header. Made by a sender, then
  /// under the lock, then the writer's.
  public static final class Packed {
    private final byte[] bytes;
    private int end = Packet.HEADER_BYTES;
    private int frames;

    private Packed(WireOutput head, Content tail, int capacity) {
      int length = head.size() + tail.size();
      int needed = Packet.HEADER_BYTES + length;
      bytes = new byte[length < LARGE_BYTES ? Math.max(needed, capacity) : needed];
      add(head, tail);
    }

    /// The array: the packet, then what nobody reads.
    public byte[] bytes() {
      return bytes;
    }

    /// How many bytes the packet has.
    public int length() {
      return end;
    }

    /// An engine keeps the array until the packet has arrived: so at most half of it is unused.
    private Packed shortened() {
      return 2 * end >= bytes.length ? this : new Packed(this);
    }

    private Packed(Packed longer) {
      bytes = Arrays.copyOf(longer.bytes, longer.end);
      end = longer.end;
      frames = longer.frames;
    }

    private boolean hasSpace(int length) {
      return bytes.length - end >= length;
    }

    private void add(WireOutput head, Content tail) {
      head.copyTo(bytes, end);
      tail.copyTo(bytes, end + head.size());
      end += head.size() + tail.size();
      frames++;
    }
  }

  private final SpinLock lock = new SpinLock();

  // under the lock
  private final Deque<Packed> packets = new ArrayDeque<>(4);
  private int expected = LEAST_BYTES; // of the next packet: twice the last one
  private @Nullable CompletableFuture<@Nullable Void> space; // that senders wait for
  private boolean closed;

  private volatile long bytes; // written under the lock

  /// Adds a frame.
  ///
  /// @param head its first bytes
  /// @param tail the others
  public Result offer(WireOutput head, Content tail, Kind kind) {
    int length = head.size() + tail.size();
    Packed own = null; // with this frame, when the last packet has no space for it
    while (true) {
      int capacity;
      lock.lock();
      try {
        Result refusal = refusal(kind);
        if (refusal != null) {
          return refusal;
        }
        Packed last = packets.peekLast();
        if (last != null && last.hasSpace(length)) {
          last.add(head, tail);
          bytes += length;
          return Result.ACCEPTED;
        }
        if (own != null) {
          packets.add(own);
          bytes += length;
          return Result.ACCEPTED;
        }
        capacity = last == null ? expected : MOST_BYTES; // the writer is behind: more will follow
      } finally {
        lock.unlock();
      }
      own = new Packed(head, tail, capacity); // no array is made under the lock
    }
  }

  private @Nullable Result refusal(Kind kind) {
    if (closed) {
      return Result.CLOSED;
    }
    if (kind == Kind.MESSAGE && bytes >= FULL_BYTES) {
      return Result.FULL;
    }
    return bytes >= OVERFLOW_BYTES ? Result.OVERFLOW : null;
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
  public @Nullable Packed next(long most) {
    Packed first;
    CompletableFuture<@Nullable Void> free = null;
    lock.lock();
    try {
      first = packets.peek();
      if (first == null || first.end > most) {
        return null;
      }
      packets.remove();
      expected = Math.clamp(2L * first.end, LEAST_BYTES, MOST_BYTES);
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
    return first.shortened();
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
