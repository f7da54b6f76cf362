// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.trace;

import dev.heddle.internal.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The last entries of a trace, of one thread: when it is full, the oldest are overwritten.
public final class TraceRing {
  /*
   * An entry is three longs: its time; its kind (8 bits), code (16) and who (40); and another one.
   * A fourth place holds an object, for entries that name something: it is in an array of its own,
   * since most entries have none. It is only valid for an entry that was added with one.
   *
   * Two entries that usually come together are one in the ring, and two in a copy: a message and
   * the wake-up that it causes; a run and the message that it receives first. Each entry of a run
   * of 60 ns counts.
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
   * A message becomes one that has woken its receiver by a store of one word, after it was added: a
   * copy has the one or the other.
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

  private static final int MESSAGE_AND_WAKE = 0xFE; // kinds of entries that are two in a copy
  private static final int RECEIVED_AND_RUN = 0xFF;
  private static final int NANOS_BITS = 33; // of a run; the number of a message has the other 31
  private static final long NANOS_MASK = (1L << NANOS_BITS) - 1;

  private final long[] words;
  private final @Nullable Object[] objects;
  private final int mask;
  private final int wakeCode;

  private long count; // of entries so far

  /// @param entries a power of two
  public TraceRing(int entries) {
    this(entries, 0);
  }

  /// The same.
  ///
  /// @param wakeCode the code of a wake-up by a message
  public TraceRing(int entries, int wakeCode) {
    if (Integer.bitCount(entries) != 1) {
      throw new IllegalArgumentException("a ring of " + entries + " entries: no power of two");
    }
    words = new long[entries * WORDS];
    objects = new Object[entries];
    mask = entries - 1;
    this.wakeCode = wakeCode;
  }

  /// Adds an entry.
  public void add(long time, TraceKind kind, int code, long who, long other) {
    add(time, kind.number(), code, who, other);
  }

  private void add(long time, int kind, int code, long who, long other) {
    long at = count;
    int place = ((int) at & mask) * WORDS;
    words[place] = time;
    words[place + 1] = word(kind, code, who);
    words[place + 2] = other;
    COUNT.setRelease(this, at + 1);
    VarHandle.storeStoreFence();
  }

  private static long word(int kind, int code, long who) {
    return kind | (long) code << CODE_SHIFT | who << WHO_SHIFT;
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

  /// The entry that was added last is a message: it has woken its receiver, at once.
  public void addWakeOfMessage() {
    int place = ((int) (count - 1) & mask) * WORDS + 1;
    words[place] += MESSAGE_AND_WAKE - TraceKind.MESSAGE.number();
  }

  /// Adds a run.
  ///
  /// @param received the number of a message that it was given at its beginning; 0: none
  public void addRun(long time, int code, long who, long since, int received) {
    long nanos = time - since;
    if (received == 0) {
      add(time, TraceKind.RUN, code, who, since);
    } else if ((nanos & ~NANOS_MASK) == 0) {
      add(time, RECEIVED_AND_RUN, code, who, (long) received << NANOS_BITS | nanos);
    } else { // more than eight seconds
      add(since, TraceKind.RECEIVED, 0, who, received);
      add(time, TraceKind.RUN, code, who, since);
    }
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

    /// The number of entries that were added to the ring; of those that are lost, two may have been
    /// one.
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

    /// The same entries and another one behind them, without a code.
    public Copy with(long time, TraceKind kind, long who, long other) {
      long[] more = Arrays.copyOf(entries, entries.length + WORDS);
      more[entries.length] = time;
      more[entries.length + 1] = word(kind.number(), 0, who);
      more[entries.length + 2] = other;
      return new Copy(total + 1, more, Arrays.copyOf(names, names.length + 1));
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
    int pairs = 0;
    for (long at = oldest; at < total; at++) {
      pairs += isPair(copied[((int) at & mask) * WORDS + 1]) ? 1 : 0;
    }
    int size = (int) (total - oldest) + pairs;
    long[] entries = new long[size * WORDS];
    @Nullable Object[] names = new Object[size];
    int to = 0;
    for (long at = oldest; at < total; at++) {
      int place = (int) at & mask;
      System.arraycopy(copied, place * WORDS, entries, to * WORDS, WORDS);
      if (isPair(entries[to * WORDS + 1])) {
        separate(entries, to++ * WORDS);
      }
      names[to++] = named[place];
    }
    return new Copy(total + pairs, entries, names);
  }

  private static boolean isPair(long word) {
    return (word & 0xFF) >= MESSAGE_AND_WAKE;
  }

  /// Makes two entries of one.
  private void separate(long[] entries, int place) {
    long time = entries[place];
    long word = entries[place + 1];
    long other = entries[place + 2];
    long who = word >>> WHO_SHIFT;
    int second = place + WORDS;
    entries[second] = time;
    if ((word & 0xFF) == MESSAGE_AND_WAKE) {
      entries[place + 1] = word - MESSAGE_AND_WAKE + TraceKind.MESSAGE.number();
      entries[second + 1] = word(TraceKind.WAKE.number(), wakeCode, who);
      entries[second + 2] = other & WHO_MASK; // the sender
    } else {
      long since = time - (other & NANOS_MASK);
      entries[place] = since;
      entries[place + 1] = word(TraceKind.RECEIVED.number(), 0, who);
      entries[place + 2] = other >>> NANOS_BITS;
      entries[second + 1] = word - RECEIVED_AND_RUN + TraceKind.RUN.number();
      entries[second + 2] = since;
    }
  }
}
