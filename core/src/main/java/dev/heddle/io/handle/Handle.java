// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.io.AsyncIo;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.thread.worker.TransferBuffers;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// What all handles have in common: who is next, what was read ahead, what is still to be written.
public abstract class Handle extends DirectionLocks implements AsyncIo {
  /*
   * One reader and one writer at a time have the handle (DirectionLocks), so nothing overtakes and
   * nothing is interleaved. A subtype adds how to read some bytes, and how to write all of a
   * buffer, for the one whose turn it is.
   *
   * Bytes that were read and that their caller did not take (the rest behind a line, a read that
   * was cancelled when the bytes had come) are kept in `readAhead`. The next read, of whichever
   * kind, is served from there first, without a wait.
   *
   * Bytes given to writeLater() are kept in `pendingWrites`. Whichever coroutine has the writers'
   * turn writes them: one that the loop starts for it, or a writer that came before that one. No
   * caller waits for them, so a failure is kept in `deferredFailure`. If more is kept than a caller
   * of writeLater() allows, the caller takes its place among the writers and appends its bytes when
   * its turn comes; callers after it do the same as long as it waits (`flushesQueued`), or theirs
   * would leave before its own.
   *
   * I1. Of two reads the one called first gets the earlier bytes; so with writes. [ReadOrderTest]
   * I2. A read that throws has taken no byte that the next one does not find. [the conformance
   *     suite, cancel]
   * I3. What was given to writeLater() leaves before what is written after it.
   *     [WaitConformanceTest, LimitConformanceTest]
   *
   * Sources. trap-28, trap-30; loop-253, loop-254, loop-256, loop-296, loop-297.
   */
  private static final int CHUNK = 16 << 10; // bytes, of what is read ahead or passed on

  // loop only
  private @Nullable ByteBuffer readAhead; // to be read, or without any bytes
  private @Nullable ArrayDeque<ByteBuffer> pendingWrites;
  private long pendingBytes;
  private int flushesQueued;
  private @Nullable IOException deferredFailure;
  private boolean open = true;

  /// An open handle of a loop, to read and to write at the same time.
  protected Handle(Scheduler scheduler) {
    this(scheduler, true);
  }

  /// An open handle of a loop.
  ///
  /// @param duplex whether readers and writers stand in lines of their own; else in one, because
  ///   they have a position in common
  protected Handle(Scheduler scheduler, boolean duplex) {
    super(scheduler, duplex);
  }

  // ---- what a kind of handle adds ----

  /// Reads at least one byte, for the one reader that may.
  ///
  /// @param into has room
  /// @return how many; -1: no more will come
  protected abstract int readSome(CoroutineNode<?> self, ByteBuffer into, Deadline deadline)
      throws IOException;

  /// Writes all bytes, for the one writer that may.
  protected abstract void writeWhole(CoroutineNode<?> self, ByteBuffer from, Deadline deadline)
      throws IOException;

  /// Writes all bytes of several buffers, for the one writer that may.
  protected void writeWhole(CoroutineNode<?> self, ByteBuffer[] from) throws IOException {
    for (ByteBuffer buffer : from) {
      writeWhole(self, buffer, Deadline.never());
    }
  }

  /// Ends what waits, and gives back what it has. Once.
  protected abstract void onClose();

  /// Writes what goes without a wait, if nobody else is writing: for a last word before the end.
  ///
  /// @param bytes what does not go is dropped
  void tryWriteNow(ByteBuffer bytes) throws IOException {}

  /// Whether a coroutine has the line of writers to itself.
  final boolean isWriting() {
    return isLocked(writeDirection());
  }

  /// The current coroutine, which must be of this loop, while the handle is open.
  protected final CoroutineNode<?> self() throws ClosedChannelException {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != scheduler()) {
      throw new IllegalStateException(this + " belongs to another loop; use it there");
    }
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    return self;
  }

  /// Lets the others run, now and then, before a call that may not have to wait.
  protected final void yieldToOthers(CoroutineNode<?> self) {
    scheduler().coopBudget().consume(self);
  }

  private void enter(int line, CoroutineNode<?> self, Deadline deadline)
      throws ClosedChannelException {
    if (!tryEnter(line)) {
      awaitEnter(line, self, deadline);
      if (!isOpen()) {
        leave(line);
        throw new ClosedChannelException();
      }
    }
  }

  // ---- reading ----

  /// Reads, when those who came before have.
  protected final <T extends @Nullable Object> T readExclusively(
      Deadline deadline, ExclusiveOp<T> exclusiveOp) throws IOException {
    CoroutineNode<?> self = self();
    enter(READERS, self, deadline);
    try {
      yieldToOthers(self);
      return exclusiveOp.run(self);
    } finally {
      leave(READERS);
    }
  }

  // the hot one: without a lambda
  @Override
  public final int read(ByteBuffer buffer, Deadline deadline) throws IOException {
    CoroutineNode<?> self = self();
    enter(READERS, self, deadline);
    try {
      yieldToOthers(self);
      return next(self, buffer, deadline);
    } finally {
      leave(READERS);
    }
  }

  private int next(CoroutineNode<?> self, ByteBuffer buffer, Deadline deadline) throws IOException {
    ByteBuffer kept = readAhead;
    if (!buffer.hasRemaining()) {
      return 0;
    }
    if (kept == null || !kept.hasRemaining()) {
      return readSome(self, buffer, deadline);
    }
    int n = Math.min(kept.remaining(), buffer.remaining());
    buffer.put(buffer.position(), kept, kept.position(), n);
    buffer.position(buffer.position() + n);
    kept.position(kept.position() + n);
    if (!kept.hasRemaining()) {
      readAhead = null;
    }
    return n;
  }

  /// Keeps bytes that were read for nobody, behind those that are kept.
  ///
  /// @param bytes to be read; they are copied
  protected final void appendReadAhead(ByteBuffer bytes) {
    ByteBuffer kept = readAhead;
    if (kept == null || !kept.hasRemaining()) {
      readAhead = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
      return;
    }
    int n = bytes.remaining();
    if (n > kept.capacity() - kept.limit()) {
      long needed = (long) kept.remaining() + n;
      // a long line comes in many parts: room for as many more, or each would copy all before it
      int room = (int) Math.min(Integer.MAX_VALUE - 8L, kept.remaining() > n ? 2 * needed : needed);
      kept = ByteBuffer.allocate(room).put(kept).flip();
    }
    int end = kept.limit();
    kept.limit(end + n).put(end, bytes, bytes.position(), n);
    bytes.position(bytes.position() + n);
    readAhead = kept;
  }

  /// Moves what there is room for, and keeps the rest for the next read.
  ///
  /// @return how many bytes were moved
  protected final int moveOrKeep(ByteBuffer from, ByteBuffer into) {
    int had = from.remaining();
    move(from, into);
    int left = from.remaining();
    if (left > 0) {
      appendReadAhead(from);
    }
    return had - left;
  }

  /// How many bytes were read ahead.
  protected final int readAheadBytes() {
    return readAhead == null ? 0 : readAhead.remaining();
  }

  /// Takes away what was read ahead, if anything.
  protected final @Nullable ByteBuffer takeReadAhead() {
    ByteBuffer kept = readAhead;
    readAhead = null;
    return kept;
  }

  /// Whether nobody is about to read.
  protected final boolean isReadIdle() {
    return !isLocked(READERS);
  }

  /// A failure that nobody was there to take: it is for who writes next.
  protected final void deferFailure(IOException failure) {
    deferredFailure = deferredFailure == null ? failure : deferredFailure;
  }

  @Override
  public final void readFully(ByteBuffer buffer) throws IOException {
    readExclusively(
        Deadline.never(),
        self -> {
          while (buffer.hasRemaining()) {
            if (next(self, buffer, Deadline.never()) < 0) {
              throw new EOFException(
                  "the end of " + this + " came with " + buffer.remaining() + " bytes to go");
            }
          }
          return buffer;
        });
  }

  @Override
  public final @Nullable String readLineUpTo(int limit) throws IOException {
    LineLimit.require(limit);
    return readExclusively(Deadline.never(), self -> line(self, limit));
  }

  private @Nullable String line(CoroutineNode<?> self, int limit) throws IOException {
    int looked = 0; // of what is kept, without a line's end
    while (true) {
      ByteBuffer kept = readAhead;
      int has = kept == null ? 0 : kept.remaining();
      for (; kept != null && looked < has; looked++) {
        if (kept.get(kept.position() + looked) == '\n') {
          return takeLine(kept, looked, looked + 1, limit);
        }
      }
      if (has - 1 > limit) { // the last one may be the CR of its end
        throw LineLimit.exceeded(this, limit);
      }
      ByteBuffer more = ByteBuffer.allocate(CHUNK);
      if (readSome(self, more, Deadline.never()) < 0) {
        return kept == null || has == 0 ? null : takeLine(kept, has, has, limit);
      }
      appendReadAhead(more.flip());
    }
  }

  private String takeLine(ByteBuffer kept, int length, int withEnd, int limit) throws IOException {
    int start = kept.position();
    boolean feed = length > 0 && withEnd > length && kept.get(start + length - 1) == '\r';
    byte[] line = new byte[feed ? length - 1 : length];
    if (line.length > limit) {
      throw LineLimit.exceeded(this, limit);
    }
    kept.get(start, line);
    kept.position(start + withEnd);
    if (!kept.hasRemaining()) {
      readAhead = null;
    }
    return new String(line, StandardCharsets.UTF_8);
  }

  @Override
  public long transferTo(AsyncIo target) throws IOException {
    // one of the loop's: many short connections would leave theirs to the collector
    TransferBuffers buffers = LoopRuntime.of(self()).blockingPools().buffers();
    ByteBuffer buffer = buffers.acquire(CHUNK);
    try {
      return copyTo(target, buffer);
    } finally {
      buffers.release(buffer);
    }
  }

  /// Writes to `target` all that comes, by way of `buffer`.
  protected final long copyTo(AsyncIo target, ByteBuffer buffer) throws IOException {
    long sum = 0;
    while (read(buffer) >= 0) {
      sum += buffer.flip().remaining();
      target.write(buffer);
      buffer.clear();
    }
    return sum;
  }

  // ---- writing ----

  /// Writes, when those who came before have, and what was to be written later.
  protected final <T extends @Nullable Object> T writeExclusively(
      Deadline deadline, ExclusiveOp<T> exclusiveOp) throws IOException {
    CoroutineNode<?> self = self();
    enter(writeDirection(), self, deadline);
    try {
      yieldToOthers(self);
      writePending(self, deadline);
      return exclusiveOp.run(self);
    } finally {
      leave(writeDirection());
    }
  }

  /// Takes a turn when those who came before have, and what was to be written later; that this
  /// fails, or has failed, is for who writes next.
  protected final <T extends @Nullable Object> T runAfterWrites(
      Deadline deadline, ExclusiveOp<T> exclusiveOp) throws IOException {
    CoroutineNode<?> self = self();
    enter(writeDirection(), self, deadline);
    try {
      yieldToOthers(self);
      if (deferredFailure == null) {
        tryWritePending(self, deadline);
      }
      return exclusiveOp.run(self);
    } finally {
      leave(writeDirection());
    }
  }

  private void tryWritePending(CoroutineNode<?> self, Deadline deadline) {
    try {
      writePending(self, deadline);
    } catch (IOException _) {
      // safe: it is kept
    }
  }

  // the hot one: without a lambda
  @Override
  public final void write(ByteBuffer buffer, Deadline deadline) throws IOException {
    CoroutineNode<?> self = self();
    enter(writeDirection(), self, deadline);
    try {
      yieldToOthers(self);
      writePending(self, deadline);
      writeWhole(self, buffer, deadline);
    } finally {
      leave(writeDirection());
    }
  }

  @Override
  public final void writeAll(ByteBuffer... buffers) throws IOException {
    ByteBuffer[] own = buffers.clone();
    writeExclusively(
        Deadline.never(),
        self -> {
          writeWhole(self, own);
          return own;
        });
  }

  @Override
  public final void writeLater(ByteBuffer buffer, long bound) throws IOException {
    if (bound < 0) {
      throw new IllegalArgumentException("a bound cannot be negative: " + bound);
    }
    self();
    throwDeferredFailure();
    if (flushesQueued == 0 && pendingBytes <= bound) {
      enqueueWrite(buffer);
      return;
    }
    flushesQueued++;
    try {
      writeExclusively(
          Deadline.never(),
          self -> {
            enqueueWrite(buffer);
            return self;
          });
    } finally {
      flushesQueued--;
    }
  }

  private void enqueueWrite(ByteBuffer buffer) {
    ByteBuffer copy = ByteBuffer.allocate(buffer.remaining()).put(buffer).flip();
    ArrayDeque<ByteBuffer> queue = pendingWrites;
    if (queue == null) {
      queue = new ArrayDeque<>();
      pendingWrites = queue;
    }
    queue.add(copy);
    pendingBytes += copy.remaining();
    if (queue.size() == 1) {
      scheduler().notifyLater(this::flushPending);
    }
  }

  private void flushPending() {
    try {
      flush();
    } catch (IOException e) {
      // safe: it is kept, for whoever looks or writes next; a handle that was closed is told so
      deferFailure(e);
    } catch (RuntimeException e) {
      // a handle that is only read from, or talks to nobody
      deferFailure(new IOException("what was to be written later cannot be written", e));
      dropPending();
    }
  }

  @Override
  public final void flush() throws IOException {
    writeExclusively(Deadline.never(), self -> self);
  }

  // what a deadline leaves here is for the next writer, or for the one that was started for it
  private void writePending(CoroutineNode<?> self, Deadline deadline) throws IOException {
    throwDeferredFailure();
    ArrayDeque<ByteBuffer> queue = pendingWrites;
    if (queue == null) {
      return;
    }
    try {
      for (ByteBuffer next = queue.peek(); next != null; next = queue.peek()) {
        int n = next.remaining();
        try {
          writeWhole(self, next, deadline);
        } finally {
          pendingBytes -= n - next.remaining();
        }
        queue.remove();
      }
    } catch (IOException e) {
      deferredFailure = e;
      dropPending(); // nothing of it can leave any more
      throw e;
    }
  }

  private void dropPending() {
    pendingWrites = null;
    pendingBytes = 0;
  }

  /// Fails when something failed that nobody was there to take.
  protected final void throwDeferredFailure() throws IOException {
    if (deferredFailure != null) {
      throw new IOException("an earlier write to " + this + " has failed", deferredFailure);
    }
  }

  @Override
  public final @Nullable IOException writeFailure() {
    return deferredFailure;
  }

  // ---- its end ----

  @Override
  public final boolean isOpen() {
    return open;
  }

  @Override
  public final void close() {
    if (open) {
      scheduler().checkOnLoop();
      open = false;
      onClose();
    }
  }

  // ---- for libraries ----

  @Override
  public final InputStream inputStream() {
    return new HandleInputStream(this);
  }

  @Override
  public final OutputStream outputStream() {
    return new HandleOutputStream(this);
  }

  @Override
  public final ByteChannel channel() {
    return new HandleChannel(this);
  }

  /// Moves as many bytes as there are, and there is room for.
  static void move(ByteBuffer from, ByteBuffer into) {
    int n = Math.min(from.remaining(), into.remaining());
    into.put(into.position(), from, from.position(), n);
    into.position(into.position() + n);
    from.position(from.position() + n);
  }

  /// Fewer buffers: those that have bytes.
  static ByteBuffer[] withoutEmpty(ByteBuffer[] buffers) {
    return Arrays.stream(buffers).filter(ByteBuffer::hasRemaining).toArray(ByteBuffer[]::new);
  }
}
