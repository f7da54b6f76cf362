// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.trace;

import dev.heddle.internal.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import org.jspecify.annotations.Nullable;

/// The last entries of a trace, of one thread: when it is full, the oldest are overwritten.
public final class TraceRing {
  /*
   * An entry is three longs: its time; its kind (8 bits), code (16) and who (40); and another one.
   * A fourth place holds an object, for entries that name something: it is in an array of its own,
   * since most entries have none. It is only valid for an entry that was added with one.
   *
   * Threads. One adds. Any other may copy meanwhile.
   *
   * Memory order. The writer stores an entry, and then the count, with release; a fence keeps the
   * stores of the next entry behind that of the count. A reader reads the count with acquire,
   * copies the arrays, and reads the count again: what it has seen of an entry, it sees in this
   * count, or that entry is the next one. So all that may be overwritten, wholly or by half, is as
   * old as the place of the next entry, and is left out. Without the fence a processor that does
   * not keep the order of stores could show the next entries before the count of the ones before.
   * [TraceRingTest]
   *
   * Cost. Four stores an entry, no allocation. 24 bytes an entry, and 4 for its object.
   *
   * Rejected. An object for each entry: half a million of them to be moved by the garbage
   * collector. Memory outside of the heap: the checks of its accesses cost more than the stores.
   */
  /// Entries of a ring, unless another number is asked for: 14 MiB.
  public static final int USUAL = 1 << 19;

  static final int WORDS = 3; // of an entry
  private static final int CODE_SHIFT = 8;
  private static final int WHO_SHIFT = 24;
  private static final int WHO_BITS = 40;
  private static final long WHO_MASK = (1L << WHO_BITS) - 1;
  private static final int CODE_BITS = 16;
  private static final VarHandle COUNT =
      VarHandles.find(MethodHandles.lookup(), "count", long.class);

  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle OBJECT = MethodHandles.arrayElementVarHandle(Object[].class);

  private final long[] words;
  private final @Nullable Object[] objects;
  private final int mask;

  private long count; // of entries so far

  /// @param entries a power of two
  public TraceRing(int entries) {
    if (Integer.bitCount(entries) != 1) {
      throw new IllegalArgumentException("a ring of " + entries + " entries: no power of two");
    }
    words = new long[entries * WORDS];
    objects = new Object[entries];
    mask = entries - 1;
  }

  /// Adds an entry.
  public void add(long time, TraceKind kind, int code, long who, long other) {
    long at = count;
    int place = ((int) at & mask) * WORDS;
    words[place] = time;
    words[place + 1] = kind.number() | (long) code << CODE_SHIFT | who << WHO_SHIFT;
    words[place + 2] = other;
    COUNT.setRelease(this, at + 1);
    VarHandle.storeStoreFence();
  }

  /// Adds an entry that names something.
  public void addNamed(long time, TraceKind kind, int code, long who, long other, Object name) {
    objects[(int) count & mask] = name;
    add(time, kind, code, who, other);
  }

  /// Adds a message: its number is in the code and in what is left of the sender's place.
  public void addMessage(long time, long to, long from, int message) {
    add(
        time,
        TraceKind.MESSAGE,
        message & ((1 << CODE_BITS) - 1),
        to,
        (from & WHO_MASK) | ((long) (message >>> CODE_BITS) << WHO_BITS));
  }

  /// The entries that are left, from the oldest to the newest.
  public static final class Copy {
    private final long total;
    private final long[] entries;
    private final @Nullable Object[] names;

    private Copy(long total, long[] entries, @Nullable Object[] names) {
      this.total = total;
      this.entries = entries;
      this.names = names;
    }

    /// The number of entries that were added to the ring.
    public long total() {
      return total;
    }

    /// What an entry was added with; null, or that of an older entry, where it was added with
    /// nothing.
    public @Nullable Object name(int entry) {
      return names[entry];
    }

    public int size() {
      return names.length;
    }

    /// The number of entries that were overwritten.
    public long lost() {
      return total - size();
    }

    public int kind(int entry) {
      return (int) entries[entry * WORDS + 1] & 0xFF;
    }

    public int code(int entry) {
      return (int) (entries[entry * WORDS + 1] >>> CODE_SHIFT) & 0xFFFF;
    }

    public long who(int entry) {
      return entries[entry * WORDS + 1] >>> WHO_SHIFT;
    }

    /// Who has sent the message that the entry is; 0: no process.
    public long sender(int entry) {
      return other(entry) & WHO_MASK;
    }

    /// The number of the message that the entry is; 0: it cannot be told from others. Any two of a
    /// recording have different ones, unless there are billions.
    public long message(int entry) {
      return ((other(entry) >>> WHO_BITS) << CODE_BITS) | code(entry);
    }

    public long time(int entry) {
      return entries[entry * WORDS];
    }

    public long other(int entry) {
      return entries[entry * WORDS + 2];
    }

    /// Some of the entries, as they leave the JVM: the longs, in the order of the network.
    public byte[] bytes(int from, int to) {
      ByteBuffer bytes = ByteBuffer.allocate((to - from) * WORDS * Long.BYTES);
      LongBuffer _ = bytes.asLongBuffer().put(entries, from * WORDS, (to - from) * WORDS);
      return bytes.array();
    }

    /// So many entries are so many bytes.
    public static long bytes(long entries) {
      return entries * WORDS * Long.BYTES;
    }

    /// What [#bytes(int, int)] has made of entries; without names.
    ///
    /// @param total how many were recorded
    public static Copy of(byte[] bytes, long total) {
      long[] entries = new long[bytes.length / Long.BYTES];
      LongBuffer _ = ByteBuffer.wrap(bytes).asLongBuffer().get(entries);
      return new Copy(total, entries, new Object[entries.length / WORDS]);
    }
  }

  /// The number of entries that were added so far. **Thread** any.
  public long total() {
    return (long) COUNT.getAcquire(this);
  }

  // the JIT may read the original where it sees that a plain copy of it is read
  private long wordOpaque(int place) {
    return (long) WORD.getOpaque(words, place);
  }

  /// The entries now. **Thread** any.
  public Copy copy() {
    long total = total();
    long[] copied = new long[words.length];
    for (int i = 0; i < copied.length; i++) {
      copied[i] = wordOpaque(i);
    }
    @Nullable Object[] named = new Object[objects.length];
    for (int i = 0; i < named.length; i++) {
      named[i] = OBJECT.getOpaque(objects, i);
    }
    VarHandle.acquireFence();
    // the one before may be half overwritten
    long oldest = Math.min(total, Math.max(0, total() - mask));
    int size = (int) (total - oldest);
    long[] entries = new long[size * WORDS];
    @Nullable Object[] names = new Object[size];
    for (int i = 0; i < size; i++) {
      int place = (int) (oldest + i) & mask;
      System.arraycopy(copied, place * WORDS, entries, i * WORDS, WORDS);
      names[i] = named[place];
    }
    return new Copy(total, entries, names);
  }
}
