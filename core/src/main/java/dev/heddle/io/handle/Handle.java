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
import org.jspecify.annotations.Nullable;

/// Base class of handles: the order of callers, bytes read ahead, pending writes.
public abstract class Handle extends DirectionLocks implements AsyncIo {
  /*
   * One reader and one writer at a time hold the handle (DirectionLocks), so operations are neither
   * reordered nor interleaved. A subtype implements reading some bytes and writing a whole buffer,
   * for the holder of the direction.
   *
   * Bytes that this process has taken from the descriptor and no call has returned are kept in
   * `readAhead`; the next read of any kind takes them first, without a wait. On a socket they are
   * the rest after a line of text, an incomplete line whose readLine() threw, and what had arrived
   * when the input was shut down. A plain read() there takes nothing before it returns: when it is
   * cancelled, the bytes are still in the kernel. Where a worker thread reads (BlockingHandle), the
   * request of a cancelled read goes on, and the next reader takes its bytes; those for which it
   * has no room are kept here, too.
   *
   * A caller that throws or is cancelled leaves its direction (leave()), which hands it to the next
   * one that waits.
   *
   * Bytes given to writeLater() are kept in `pendingWrites`. The next holder of the write lock
   * writes them: a coroutine that the loop starts for it, or a writer that came earlier. No caller
   * waits for them, so a failure is kept in `deferredFailure`. If more bytes are pending than a
   * caller of writeLater() allows, the caller queues for the write lock and appends its bytes when
   * it holds the lock. Later callers do the same as long as it waits (`flushesQueued`); otherwise
   * their bytes would be written before its own.
   *
   * I1. Of two reads, the one called first gets the earlier bytes; the same holds for writes.
   * [ReadOrderTest]
   * I2. No byte is lost by a read that throws. read() and readLine() have consumed none: the next
   *     read returns them. readFully() leaves what it has read in the caller's buffer. But what
   *     transferTo() has read when its target fails is lost: others may have read on. [the
   *     conformance suite, cancel]
   * I3. Bytes given to writeLater() are sent before bytes that are written later.
   *     [WaitConformanceTest, LimitConformanceTest]
   *
   * Sources. trap-28, trap-30; loop-253, loop-254, loop-256, loop-296, loop-297.
   */
  private static final int CHUNK = 16 << 10; // bytes, for reading ahead and copying

  // loop only
  private @Nullable ByteBuffer readAhead; // in read mode, may be empty
  private @Nullable ArrayDeque<ByteBuffer> pendingWrites;
  private long pendingBytes;
  private int flushesQueued;
  private @Nullable IOException deferredFailure;
  private boolean open = true;

  /// An open handle with separate locks for reading and writing.
  protected Handle(Scheduler scheduler) {
    this(scheduler, true);
  }

  /// An open handle.
  ///
  /// @param duplex whether readers and writers have separate locks; otherwise they share one,
  ///   because they share a position
  protected Handle(Scheduler scheduler, boolean duplex) {
    super(scheduler, duplex);
  }

  /// An operation of the coroutine that holds a direction of a handle.
  @FunctionalInterface
  interface ExclusiveOp<T extends @Nullable Object> {
    T run(CoroutineNode<?> self) throws IOException;
  }

  // ---- implemented by subtypes ----

  /// Reads at least one byte. The caller holds the read lock.
  ///
  /// @param into a buffer with room
  /// @return the number of bytes; -1 at the end of the input
  protected abstract int readSome(CoroutineNode<?> self, ByteBuffer into, Deadline deadline)
      throws IOException;

  /// Writes all bytes. The caller holds the write lock.
  protected abstract void writeWhole(CoroutineNode<?> self, ByteBuffer from, Deadline deadline)
      throws IOException;

  /// Writes all bytes of several buffers. The caller holds the write lock.
  protected void writeWhole(CoroutineNode<?> self, ByteBuffer[] from) throws IOException {
    for (ByteBuffer buffer : from) {
      writeWhole(self, buffer, Deadline.never());
    }
  }

  /// Ends all waits and releases the resources. Called once.
  protected abstract void onClose();

  /// Writes as much as possible without a wait, if no coroutine is writing: for a last message
  /// before closing.
  ///
  /// @param bytes bytes that cannot be written at once are dropped
  void tryWriteNow(ByteBuffer bytes) throws IOException {}

  /// The current coroutine. Checks that it belongs to this loop and that the handle is open.
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

  /// Yields once in a while, before a call that may not have to wait.
  protected final void yieldToOthers(CoroutineNode<?> self) {
    scheduler().consumeBudget(self);
  }

  private void enter(int direction, CoroutineNode<?> self, Deadline deadline)
      throws ClosedChannelException {
    if (!tryEnter(direction)) {
      awaitEnter(direction, self, deadline);
      if (!isOpen()) {
        leave(direction);
        throw new ClosedChannelException();
      }
    }
  }

  // ---- reading ----

  /// Runs a read when earlier readers have finished.
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

  // hot path: no lambda
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

  /// Appends bytes that no reader has received to the read-ahead buffer.
  ///
  /// @param bytes in read mode; they are copied
  protected final void appendReadAhead(ByteBuffer bytes) {
    ByteBuffer kept = readAhead;
    if (kept == null || !kept.hasRemaining()) {
      readAhead = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
      return;
    }
    int n = bytes.remaining();
    if (n > kept.capacity() - kept.limit()) {
      long needed = (long) kept.remaining() + n;
      // a long line arrives in many parts: double the room, or each part would copy all before it
      int room = (int) Math.min(Integer.MAX_VALUE - 8L, kept.remaining() > n ? 2 * needed : needed);
      kept = ByteBuffer.allocate(room).put(kept).flip();
    }
    int end = kept.limit();
    kept.limit(end + n).put(end, bytes, bytes.position(), n);
    bytes.position(bytes.position() + n);
    readAhead = kept;
  }

  /// Moves as many bytes as fit, and keeps the rest for the next read.
  protected final int moveOrKeep(ByteBuffer from, ByteBuffer into) {
    int had = from.remaining();
    move(from, into);
    int left = from.remaining();
    if (left > 0) {
      appendReadAhead(from);
    }
    return had - left;
  }

  protected final int readAheadBytes() {
    return readAhead == null ? 0 : readAhead.remaining();
  }

  protected final @Nullable ByteBuffer takeReadAhead() {
    ByteBuffer kept = readAhead;
    readAhead = null;
    return kept;
  }

  /// Keeps a failure without a waiting caller, for the next writer.
  protected final void deferFailure(@Nullable Throwable failure) {
    if (failure != null && deferredFailure == null) {
      deferredFailure = failure instanceof IOException io ? io : new IOException(failure);
    }
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
    if (limit < 1) {
      throw new IllegalArgumentException("the limit of a line must be positive, not " + limit);
    }
    return readExclusively(Deadline.never(), self -> line(self, limit));
  }

  private @Nullable String line(CoroutineNode<?> self, int limit) throws IOException {
    int looked = 0; // bytes already searched for a line end
    while (true) {
      ByteBuffer kept = readAhead;
      int has = kept == null ? 0 : kept.remaining();
      for (; kept != null && looked < has; looked++) {
        if (kept.get(kept.position() + looked) == '\n') {
          return takeLine(kept, looked, looked + 1, limit);
        }
      }
      if (has - 1 > limit) { // the last byte may be the CR of the line end
        throw lineTooLong(limit);
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
      throw lineTooLong(limit);
    }
    kept.get(start, line);
    kept.position(start + withEnd);
    if (!kept.hasRemaining()) {
      readAhead = null;
    }
    return new String(line, StandardCharsets.UTF_8);
  }

  private IOException lineTooLong(int limit) {
    return new IOException(
        "a line of "
            + this
            + " is longer than the limit of "
            + limit
            + " bytes; readLineUpTo() accepts a larger limit, and nothing of this line is lost");
  }

  @Override
  public long transferTo(AsyncIo target) throws IOException {
    // from the loop's pool: many short connections would leave theirs to the garbage collector
    TransferBuffers buffers = LoopRuntime.of(self()).blockingPools().buffers();
    ByteBuffer buffer = buffers.acquire(CHUNK);
    try {
      return copyTo(target, buffer);
    } finally {
      buffers.release(buffer);
    }
  }

  /// Copies the whole input to `target` through `buffer`.
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

  /// Runs a write when earlier writers have finished and the pending writes are done.
  protected final <T extends @Nullable Object> T writeExclusively(ExclusiveOp<T> exclusiveOp)
      throws IOException {
    CoroutineNode<?> self = self();
    enter(writeDirection(), self, Deadline.never());
    try {
      yieldToOthers(self);
      writePending(self, Deadline.never());
      return exclusiveOp.run(self);
    } finally {
      leave(writeDirection());
    }
  }

  /// Runs an operation when earlier writers have finished and the pending writes are done or have
  /// failed; that failure stays for the next writer.
  protected final <T extends @Nullable Object> T runAfterWrites(ExclusiveOp<T> exclusiveOp)
      throws IOException {
    CoroutineNode<?> self = self();
    enter(writeDirection(), self, Deadline.never());
    try {
      yieldToOthers(self);
      if (deferredFailure == null) {
        tryWritePending(self);
      }
      return exclusiveOp.run(self);
    } finally {
      leave(writeDirection());
    }
  }

  private void tryWritePending(CoroutineNode<?> self) {
    try {
      writePending(self, Deadline.never());
    } catch (IOException _) {
      // safe: the failure is deferred
    }
  }

  // hot path: no lambda
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
    writeExclusively(self -> {
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
      writeExclusively(self -> {
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
      // safe: the failure is deferred to the next writer; a closed handle reports that itself
      deferFailure(e);
    } catch (RuntimeException e) {
      // a handle that is read-only or not connected
      deferFailure(new IOException("the pending writes cannot be written", e));
      dropPending();
    }
  }

  @Override
  public final void flush() throws IOException {
    writeExclusively(self -> self);
  }

  // bytes left at a deadline are for the next writer or the coroutine started for them
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
      dropPending(); // no more of it can be sent
      throw e;
    }
  }

  private void dropPending() {
    pendingWrites = null;
    pendingBytes = 0;
  }

  protected final void throwDeferredFailure() throws IOException {
    if (deferredFailure != null) {
      throw new IOException("an earlier write to " + this + " has failed", deferredFailure);
    }
  }

  @Override
  public final @Nullable IOException writeFailure() {
    return deferredFailure;
  }

  // ---- closing ----

  @Override
  public final boolean isOpen() {
    return open;
  }

  @Override
  public final void close() {
    if (open) {
      scheduler().checkOnLoop();
      open = false;
      scheduler().futures().closed(this);
      if (this instanceof HasFileDescriptor) { // one of those that were counted when they opened
        scheduler().reactor().handleClosed();
      }
      onClose();
    }
  }

  // ---- adapters for libraries ----

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

  /// Moves as many bytes as are available and fit.
  static void move(ByteBuffer from, ByteBuffer into) {
    int n = Math.min(from.remaining(), into.remaining());
    into.put(into.position(), from, from.position(), n);
    into.position(into.position() + n);
    from.position(from.position() + n);
  }
}
