// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import static java.lang.invoke.MethodHandles.arrayElementVarHandle;
import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.cluster.engine.Engine.Outgoing;
import dev.heddle.cluster.wire.Content;
import dev.heddle.cluster.wire.EncodedFrame;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.FrameCodec;
import dev.heddle.cluster.wire.Limits;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.internal.SpinLock;
import dev.heddle.internal.StackGuard;
import dev.heddle.internal.VarHandles;
import dev.heddle.process.Pid;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The frames of a session that wait for its writer, in order, as the packets that they leave in.
/// Any thread; [#next] and [#isLate] are the writer's. No call waits for another thread, but for a
/// few instructions.
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
   *   SEALED   the writer finds the first     gone     the writer takes it, and looks without the
   *            byte of each frame                      lock
   *   SEALED   it does not                    SEALED   the packet is late: the writer looks again
   *   SEALED   close                          gone     senders that write into it harm nobody
   *
   * The last packet alone is open. So senders share one word of memory, and none waits while
   * another writes. A lock in its place took half of the time of a sender [decision 0065].
   *
   * Memory order. The first byte of a frame is never 0, and the array begins as zeros. It is
   * written with release semantics and read with acquire semantics: whoever finds it finds the rest
   * of the frame. [OutboxStress, OutboxLincheckTest; mutants: OutboxStress.FirstByteFirst,
   * OutboxStress.SealsByStore]
   *
   * Late packets. A sender wakes the writer after it has written. It does not order its write
   * before its look at whether the writer is awake already: that would cost each frame a fence. So
   * a wake-up may be missed, and the writer looks at a late packet again after a time as well.
   *
   * A place that a frame has claimed must be written, else no packet leaves any more. So what can
   * fail is done before: the frame is encoded but for numbers and copies, which take no memory
   * [FrameCodecTest], the stack has room, and all that is linked at its first use has been used
   * (rehearse). One failure is left: the JVM may omit an object until it returns to the
   * interpreter, and have no memory for it then [decision 0046]. The owner ends a session whose
   * packet is late for seconds.
   *
   * Arrays. That of a packet is used for another one once the packet has arrived: a third less
   * garbage. None is kept when nothing is on its way. [decision 0070]
   *
   * States of a packet that has left, by its readers.
   *
   *   from     event                          to       who, order
   *   n        pin                            n + 1    the transport: CAS; it has the array
   *   n        unpin                          n - 1    the same thread
   *   0        the packet has arrived         ARRIVED  the session: CAS; the array is free
   *   n > 0    the packet has arrived         n        the array is left to the garbage collector
   *   ARRIVED  pin                            ARRIVED  the transport has nothing to send
   *
   * The session of the other node acknowledges what its transport has delivered. But UNICAST3 here
   * keeps a message until UNICAST3 there has acknowledged it, which is up to half a second later,
   * and sends it again meanwhile; and if that there has lost its window, it asks for the first
   * message and would deliver it. So an acknowledgement alone does not mean that nobody reads the
   * array: hence the pins. A message that is written after its packet has arrived has no content.
   *
   * Locks. Workers call offer under locks of their own, so the lock here parks nobody, and is the
   * last one that is taken. Futures complete outside of it: what depends on them is foreign code.
   *
   * I1. Frames leave in the order in which they were accepted. [OutboxTest]
   * I2. Bytes are those of the frames that wait. [OutboxTest]
   * I3. A waiter completes when there is space, or at the end. [OutboxTest]
   * I4. A packet has one frame, or at most 48 KiB. [OutboxTest]
   * I5. A packet that the writer takes has all its frames. [OutboxStress]
   * I6. The array of a packet changes only when it has arrived and nobody reads it.
   *     [OutboxTest, PacketReuseStress, OutgoingMessageTest]
   *
   * Cost. A CAS for a frame, the lock four times for a packet. A sender that is descheduled while
   * it writes a frame keeps back the packets of its session.
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
  static final int MOST_FREE = Session.WINDOW_BYTES / MOST_BYTES + 1; // one ack may be of so many
  private static final int LARGE = 6; // a frame of this part of a packet has one of its own

  private static final int SPINS = 100; // a frame takes less
  private static final int YIELDS = 3; // its sender may need this processor

  /// A packet in the first bytes of an array, with space for its header. Filled by senders, then
  /// the writer's.
  public static final class Packed implements Outgoing {
    private static final VarHandle READERS = VarHandles.find(lookup(), "readers", int.class);
    private static final VarHandle CLAIMED = VarHandles.find(lookup(), "claimed", long.class);
    private static final VarHandle OCTET = arrayElementVarHandle(byte[].class);
    private static final int NO_SPACE = -1;
    private static final long FRAME = 1L << Integer.SIZE;
    private static final int ARRIVED = -1;

    private final Outbox home;
    private final byte[] bytes;
    // of the array, once it has left; ARRIVED: there are none any more
    private volatile int readers;
    // the end of the frames, and above 32 bits how many they are; its complement when it is sealed
    private volatile long claimed;
    private int looked = Packet.HEADER_BYTES; // the writer only: the frames before are written

    /// With one frame, whose place it is.
    Packed(Outbox home, byte[] bytes, int end) {
      this(home, bytes, FRAME + end);
    }

    private Packed(Outbox home, byte[] bytes, long claimed) {
      this.home = home;
      this.bytes = bytes;
      this.claimed = claimed;
    }

    /// The array: the packet, then what nobody reads. For the writer, before the packet leaves.
    public byte[] bytes() {
      return bytes;
    }

    @Override
    public int length() {
      return (int) count();
    }

    @Override
    public byte @Nullable [] pin() {
      int before;
      do {
        before = readers;
        if (before == ARRIVED) {
          return null;
        }
      } while (!READERS.compareAndSet(this, before, before + 1));
      return bytes;
    }

    @Override
    public void unpin() {
      var _ = (int) READERS.getAndAdd(this, -1);
    }

    /// The other node has it: its array is free, unless it is being read just now. To be called
    /// once.
    void arrived() {
      boolean isUnread = READERS.compareAndSet(this, 0, ARRIVED);
      home.arrived(isUnread ? bytes : null);
    }

    private int frames() {
      return (int) (count() >>> Integer.SIZE);
    }

    private long count() {
      long count = claimed;
      return count < 0 ? ~count : count;
    }

    /// How many of its bytes belong to frames.
    private int content() {
      return length() - Packet.HEADER_BYTES;
    }

    private boolean casClaimed(long from, long to) {
      return CLAIMED.compareAndSet(this, from, to);
    }

    /// @param most how many bytes of frames there may be before this one
    /// @return where the frame begins, or NO_SPACE
    private int claim(int length, long most) {
      long before;
      int at;
      do {
        before = claimed;
        at = (int) before;
        if (before < 0 || bytes.length - at < length || at - Packet.HEADER_BYTES >= most) {
          return NO_SPACE;
        }
      } while (!casClaimed(before, before + FRAME + length));
      return at;
    }

    private void write(EncodedFrame frame, int at) {
      OCTET.setRelease(bytes, at, frame.writeTo(bytes, at));
    }

    /// Under the lock.
    private void seal() {
      long count = claimed;
      while (!casClaimed(count, ~count)) {
        count = claimed;
      }
    }

    /// Whether all frames of a sealed packet are written.
    private boolean isWritten() {
      while (looked < length()) {
        if (!hasFirst(looked)) {
          return false;
        }
        looked += EncodedFrame.sizeAt(bytes, looked);
      }
      return true;
    }

    private boolean hasFirst(int at) {
      for (int spins = 1; (byte) OCTET.getAcquire(bytes, at) == 0; spins++) {
        if (spins % SPINS != 0) {
          Thread.onSpinWait();
        } else if (spins < YIELDS * SPINS) {
          Thread.yield();
        } else {
          return false;
        }
      }
      return true;
    }

    /// An engine keeps the array until the packet has arrived: so at most half of it is unused.
    private Packed shortened() {
      int end = length();
      return 2 * end >= bytes.length ? this : new Packed(home, Arrays.copyOf(bytes, end), claimed);
    }
  }

  static {
    rehearse();
  }

  private final int fullBytes;
  private final int packetBytes; // of a packet with several frames
  private final SpinLock lock = new SpinLock();

  // under the lock
  private final Deque<Packed> packets = new ArrayDeque<>(4);
  private int expected; // of the next packet: twice the last one
  private final byte[] @Nullable [] free = new byte[MOST_FREE][]; // of packetBytes each
  private int frees;
  private int onTheirWay; // packets that have left and not arrived
  private @Nullable CompletableFuture<@Nullable Void> space; // that senders wait for
  private boolean closed;

  // written under the lock, read by any thread
  private volatile @Nullable Packed open; // the last packet, unless it is sealed
  private volatile long sealedBytes; // of the frames in all others

  // the writer only
  private boolean isLate;
  private long taken;

  /// An empty one.
  public Outbox() {
    this(FULL_BYTES, MOST_BYTES);
  }

  /// One of other sizes, for tests.
  ///
  /// @param fullBytes as [#FULL_BYTES]
  /// @param packetBytes of a packet with several frames
  Outbox(int fullBytes, int packetBytes) {
    this.fullBytes = fullBytes;
    this.packetBytes = packetBytes;
    this.expected = leastBytes();
  }

  private int leastBytes() {
    return Math.min(LEAST_BYTES, packetBytes);
  }

  /// A frame on its way. What the JVM links when it is reached first takes memory, so it must not
  /// be reached first when a place is claimed already.
  private static void rehearse() {
    NodeLife life = new NodeLife("a", "a", 1);
    Frame frame = new Frame.Message(new Pid("a", "a", 1, 1), Content.of(new byte[1]));
    Outbox outbox = new Outbox();
    EncodedFrame encoded = new FrameCodec(life, life).prepare(frame);
    var _ = outbox.offer(encoded, Kind.MESSAGE);
    var _ = outbox.offer(encoded, Kind.MESSAGE); // into the same packet
    var _ = outbox.next(MOST_BYTES);
  }

  /// Adds a frame.
  public Result offer(EncodedFrame frame, Kind kind) {
    StackGuard.requireRoom();
    int length = frame.size();
    while (true) {
      Packed last = open;
      if (last != null) {
        int at = last.claim(length, kind == Kind.MESSAGE ? fullBytes - sealedBytes : fullBytes);
        if (at != Packed.NO_SPACE) {
          last.write(frame, at);
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
      byte[] used;
      int capacity;
      Packed next = null;
      lock.lock();
      try {
        Result refusal = refusal(kind);
        if (refusal != null) {
          return refusal;
        }
        if (open != last) {
          setFree(own);
          return null;
        }
        capacity = capacity(length);
        used = own == null ? takeFree(capacity) : null;
        next = own == null ? null : append(own, length);
      } finally {
        lock.unlock();
      }
      if (next != null) {
        next.write(frame, Packet.HEADER_BYTES);
        return Result.ACCEPTED;
      }
      own = used == null ? new byte[capacity] : cleared(used); // neither under the lock
    }
  }

  private static byte[] cleared(byte[] used) {
    Arrays.fill(used, (byte) 0);
    return used;
  }

  private byte @Nullable [] takeFree(int capacity) {
    if (capacity != packetBytes || frees == 0) {
      return null;
    }
    byte[] last = free[--frees]; // it is the likeliest to be in a cache
    free[frees] = null;
    return last;
  }

  private void setFree(byte @Nullable [] array) {
    if (array != null && array.length == packetBytes && frees < MOST_FREE && !closed) {
      free[frees++] = array;
    }
  }

  private void dropFree() {
    Arrays.fill(free, null);
    frees = 0;
  }

  /// A packet has arrived.
  ///
  /// @param array of it, if that is free
  private void arrived(byte @Nullable [] array) {
    lock.lock();
    try {
      onTheirWay--;
      setFree(array);
      if (onTheirWay == 0) { // the flood is over
        dropFree();
      }
    } finally {
      lock.unlock();
    }
  }

  /// For tests: how many arrays wait for their next packet.
  int free() {
    lock.lock();
    try {
      return frees;
    } finally {
      lock.unlock();
    }
  }

  private Packed append(byte[] array, int length) {
    sealOpen();
    Packed next = new Packed(this, array, Packet.HEADER_BYTES + length);
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
    int usual = packets.isEmpty() ? expected : packetBytes;
    return length < packetBytes / LARGE ? Math.max(needed, usual) : needed;
  }

  private @Nullable Result refusal(Kind kind) {
    if (closed) {
      return Result.CLOSED;
    }
    long waiting = bytes();
    if (kind == Kind.MESSAGE && waiting >= fullBytes) {
      return Result.FULL;
    }
    return waiting >= OVERFLOW_BYTES ? Result.OVERFLOW : null;
  }

  /// Completes when half of the space for messages is free, at once when it is not full; also when
  /// the session has ended. Callers do not complete it.
  public CompletableFuture<@Nullable Void> space() {
    lock.lock();
    try {
      if (closed || bytes() < fullBytes) {
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
  ///   none, it is longer, or it [is late][#isLate]
  public @Nullable Packed next(long most) {
    isLate = false;
    Packed first = sealFirst(most);
    if (first == null) {
      return null;
    }
    isLate = !first.isWritten();
    if (isLate) {
      return null;
    }
    Packed sent = first.shortened(); // before it leaves: there may be no memory for that
    return remove(first, sent) ? sent : null;
  }

  /// Whether [#next] has found a packet into which a sender was still writing.
  public boolean isLate() {
    return isLate;
  }

  /// How many packets [#next] has taken out, whether or not it has returned them.
  public long taken() {
    return taken;
  }

  private @Nullable Packed sealFirst(long most) {
    lock.lock();
    try {
      Packed first = packets.peek();
      if (first == null || first.length() > most) {
        return null;
      }
      if (first == open) {
        sealOpen();
      }
      return first.length() > most ? null : first; // it has grown; its end is final now
    } finally {
      lock.unlock();
    }
  }

  /// @return false when the outbox was closed meanwhile
  private boolean remove(Packed first, Packed sent) {
    CompletableFuture<@Nullable Void> free = null;
    lock.lock();
    try {
      if (packets.peek() != first) {
        return false;
      }
      packets.remove();
      taken++;
      sealedBytes -= first.content();
      expected = Math.clamp(2L * first.length(), leastBytes(), packetBytes);
      onTheirWay++;
      if (sent != first) {
        setFree(first.bytes);
      }
      if (bytes() <= fullBytes / 2) {
        free = space;
        space = null;
      }
    } finally {
      lock.unlock();
    }
    if (free != null) {
      free.complete(null);
    }
    return true;
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
      dropFree();
      sealedBytes = 0;
      free = space;
      space = null;
    } finally {
      lock.unlock();
    }
    if (free != null) {
      free.complete(null);
    }
    return dropped.stream().mapToInt(Packed::frames).sum();
  }

  /// How many bytes of frames wait.
  public long bytes() {
    Packed last = open; // first: what is sealed then is counted below
    return (last == null ? 0 : last.content()) + sealedBytes;
  }
}
