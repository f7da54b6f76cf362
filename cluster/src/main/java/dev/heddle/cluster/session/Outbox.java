// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import static java.lang.invoke.MethodHandles.arrayElementVarHandle;
import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.cluster.wire.EncodedFrame;
import dev.heddle.cluster.wire.Limits;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.internal.SpinLock;
import dev.heddle.internal.StackGuard;
import dev.heddle.internal.VarHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The frames of a session that wait for its writer, in order, as the packets that they leave in.
/// Any thread. [#offer] waits for nobody; [#next] and [#close] wait until senders have written the
/// frames of what they take.
@SuppressWarnings("NonAtomicVolatileUpdate") // `sealedBytes` is written under the lock
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
   * A frame is written behind those of the last packet, as long as there is space. The writer takes
   * a packet as it is, and does not touch hundreds of arrays of other processors. The first packet
   * has an array of twice the last one's size, later ones of 48 KiB.
   *
   * States of a packet.
   *
   *   from     event                          to       who, order
   *   OPEN     a frame claims its place       OPEN     any thread: CAS of the end; then it writes
   *                                                    the frame there, its first byte last
   *   OPEN     no space, or the writer takes  SEALED   under the lock: CAS; the end is final
   *            it, or close
   *   SEALED   a frame                        SEALED   it goes into the next packet
   *   SEALED   the first byte of each frame   WRITTEN  the writer waits for them, without the lock
   *            is there
   *
   * The last packet alone is open. So senders share one word of memory, and none waits while
   * another writes. A lock in its place took half of the time of a sender [decision 0065].
   *
   * Memory order. The first byte of a frame is never 0, and the array begins as zeros. It is
   * written with release semantics and read with acquire semantics: whoever finds it finds the rest
   * of the frame. [OutboxStress, OutboxLincheckTest; mutants: OutboxStress.FirstByteFirst,
   * OutboxStress.SealsByStore]
   *
   * A place that a frame has claimed must be written, else the writer would wait for it for ever.
   * What can fail is done before: the size is known, and the stack has room. If there is no memory
   * to write the frame, its place gets a frame that readers skip. [OutboxTest]
   *
   * Locks. Workers call offer under locks of their own, so the lock here parks nobody, and is the
   * last one that is taken. Futures complete outside of it: what depends on them is foreign code.
   *
   * I1. Frames leave in the order in which they were accepted. [OutboxTest]
   * I2. Bytes are those of the frames that wait. [OutboxTest]
   * I3. A waiter completes when there is space, or at the end. [OutboxTest]
   * I4. A packet has one frame, or at most 48 KiB. [OutboxTest]
   * I5. A packet that the writer takes has all its frames. [OutboxStress]
   *
   * Cost. A CAS for a frame, the lock for a packet. A sender that is descheduled while it writes a
   * frame keeps back the writer, and no other sender.
   *
   * Rejected. A counter of the bytes that were written, in place of the first bytes: one more word
   * that all senders write. Claims by fetch-and-add, which never fail: a claim that goes beyond
   * the end has to be taken back, and others wait for that.
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

  private static final int SPINS = 100; // a frame takes less

  /// A packet in the first bytes of an array, with space for its header. Filled by senders, then
  /// the writer's.
  public static final class Packed {
    private static final VarHandle CLAIMED = VarHandles.find(lookup(), "claimed", int.class);
    private static final VarHandle OCTET = arrayElementVarHandle(byte[].class);
    private static final int NO_SPACE = -1;

    private final byte[] bytes;
    private volatile int claimed; // the end of the frames; its complement when it is sealed

    private Packed(byte[] bytes, int end) {
      this.bytes = bytes;
      this.claimed = end;
    }

    /// The array: the packet, then what nobody reads.
    public byte[] bytes() {
      return bytes;
    }

    /// How many bytes the packet has.
    public int length() {
      int end = claimed;
      return end < 0 ? ~end : end;
    }

    /// How many of them belong to frames.
    private int content() {
      return length() - Packet.HEADER_BYTES;
    }

    private boolean casClaimed(int from, int to) {
      return CLAIMED.compareAndSet(this, from, to);
    }

    /// @param most how many bytes of frames there may be before this one
    /// @return where the frame begins, or NO_SPACE
    private int claim(int length, long most) {
      int at;
      do {
        at = claimed;
        if (at < 0 || bytes.length - at < length || at - Packet.HEADER_BYTES >= most) {
          return NO_SPACE;
        }
      } while (!casClaimed(at, at + length));
      return at;
    }

    private void write(EncodedFrame frame, int at, int length) {
      byte first;
      try {
        first = frame.writeTo(bytes, at);
      } catch (Throwable t) { // there was no memory
        OCTET.setRelease(bytes, at, EncodedFrame.writeSkipped(bytes, at, length));
        throw t;
      }
      OCTET.setRelease(bytes, at, first);
    }

    /// Under the lock.
    private void seal() {
      int end = claimed;
      while (!casClaimed(end, ~end)) {
        end = claimed;
      }
    }

    /// Waits until all frames of a sealed packet are written.
    ///
    /// @return how many it has
    private int awaitFrames() {
      int frames = 0;
      for (int at = Packet.HEADER_BYTES; at < length(); at += EncodedFrame.sizeAt(bytes, at)) {
        awaitFirst(at);
        frames++;
      }
      return frames;
    }

    private void awaitFirst(int at) {
      for (int spins = 1; (byte) OCTET.getAcquire(bytes, at) == 0; spins++) {
        if (spins % SPINS == 0) {
          Thread.yield(); // its sender may need this processor
        } else {
          Thread.onSpinWait();
        }
      }
    }

    /// An engine keeps the array until the packet has arrived: so at most half of it is unused.
    private Packed shortened() {
      int end = length();
      return 2 * end >= bytes.length ? this : new Packed(Arrays.copyOf(bytes, end), ~end);
    }
  }

  private final SpinLock lock = new SpinLock();

  // under the lock
  private final Deque<Packed> packets = new ArrayDeque<>(4);
  private int expected = LEAST_BYTES; // of the next packet: twice the last one
  private byte @Nullable [] spare; // for the next packet; nobody has written into it
  private @Nullable CompletableFuture<@Nullable Void> space; // that senders wait for
  private boolean closed;

  // written under the lock, read by any thread
  private volatile @Nullable Packed open; // the last packet, unless it is sealed
  private volatile long sealedBytes; // of the frames in all others

  /// Adds a frame.
  public Result offer(EncodedFrame frame, Kind kind) {
    StackGuard.requireRoom();
    int length = frame.size();
    while (true) {
      Packed last = open;
      if (last != null) {
        int at = last.claim(length, kind == Kind.MESSAGE ? FULL_BYTES - sealedBytes : FULL_BYTES);
        if (at != Packed.NO_SPACE) {
          last.write(frame, at, length);
          return Result.ACCEPTED;
        }
      }
      Result result = addPacket(last, frame, kind);
      if (result != null) {
        return result;
      }
    }
  }

  /// Adds a packet that begins with a frame.
  ///
  /// @param last the last packet, which has no space for it
  /// @return null when there is another one behind that by now
  private @Nullable Result addPacket(@Nullable Packed last, EncodedFrame frame, Kind kind) {
    int length = frame.size();
    byte[] own = null;
    while (true) {
      int capacity;
      Packed next;
      lock.lock();
      try {
        Result refusal = refusal(kind);
        if (refusal != null) {
          return refusal;
        }
        if (open != last) {
          spare = own != null && own.length == MOST_BYTES ? own : spare;
          return null;
        }
        capacity = capacity(length);
        byte[] array = own == null ? takeSpare(capacity) : own;
        next = array == null ? null : append(array, length);
      } finally {
        lock.unlock();
      }
      if (next != null) {
        next.write(frame, Packet.HEADER_BYTES, length);
        return Result.ACCEPTED;
      }
      own = new byte[capacity]; // no array is made under the lock
    }
  }

  private byte @Nullable [] takeSpare(int capacity) {
    byte[] found = spare;
    if (found == null || found.length != capacity) {
      return null;
    }
    spare = null;
    return found;
  }

  private Packed append(byte[] array, int length) {
    sealOpen();
    Packed next = new Packed(array, Packet.HEADER_BYTES + length);
    packets.add(next);
    open = next;
    return next;
  }

  private void sealOpen() {
    Packed last = open;
    if (last != null) {
      last.seal();
      sealedBytes += last.content(); // first: bytes() must not find 0
      open = null;
    }
  }

  /// How long the array of the next packet is, which begins with a frame of so many bytes.
  private int capacity(int length) {
    int needed = Packet.HEADER_BYTES + length;
    // behind another packet the writer is late: more will follow
    int usual = packets.isEmpty() ? expected : MOST_BYTES;
    return length < LARGE_BYTES ? Math.max(needed, usual) : needed;
  }

  private @Nullable Result refusal(Kind kind) {
    if (closed) {
      return Result.CLOSED;
    }
    long waiting = bytes();
    if (kind == Kind.MESSAGE && waiting >= FULL_BYTES) {
      return Result.FULL;
    }
    return waiting >= OVERFLOW_BYTES ? Result.OVERFLOW : null;
  }

  /// Completes when half of the space for messages is free, at once when it is not full; also when
  /// the session has ended. Callers do not complete it.
  public CompletableFuture<@Nullable Void> space() {
    lock.lock();
    try {
      if (closed || bytes() < FULL_BYTES) {
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

  /// Takes the next packet: as many frames as fit into 48 KiB, or one that does not. Waits for
  /// senders that are writing into it.
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
      if (first == null || first.length() > most) {
        return null;
      }
      if (first == open) {
        sealOpen();
      }
      if (first.length() > most) { // it has grown; its end is final now
        return null;
      }
      packets.remove();
      sealedBytes -= first.content();
      expected = Math.clamp(2L * first.length(), LEAST_BYTES, MOST_BYTES);
      spare = expected == MOST_BYTES ? spare : null; // the flood is over
      if (bytes() <= FULL_BYTES / 2) {
        free = space;
        space = null;
      }
    } finally {
      lock.unlock();
    }
    if (free != null) {
      free.complete(null);
    }
    var _ = first.awaitFrames();
    return first.shortened();
  }

  /// Takes no more frames, and drops those that wait.
  ///
  /// @return how many were dropped
  public int close() {
    CompletableFuture<@Nullable Void> free;
    List<Packed> dropped;
    lock.lock();
    try {
      closed = true;
      sealOpen();
      dropped = List.copyOf(packets);
      packets.clear();
      spare = null;
      sealedBytes = 0;
      free = space;
      space = null;
    } finally {
      lock.unlock();
    }
    if (free != null) {
      free.complete(null);
    }
    return dropped.stream().mapToInt(Packed::awaitFrames).sum();
  }

  /// How many bytes of frames wait.
  public long bytes() {
    Packed last = open; // first: what is sealed then is counted below
    return (last == null ? 0 : last.content()) + sealedBytes;
  }
}
