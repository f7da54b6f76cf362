// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.internal.Rethrow;
import dev.heddle.io.AsyncFile;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.LockedRange;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.reactor.driver.FileOperation.Kind;
import dev.heddle.reactor.driver.OpenFile;
import dev.heddle.thread.worker.TransferBuffers;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An open file with its own position. A request runs to its end even if its caller has left.
public final class FileHandle extends Handle implements AsyncFile, HasFileDescriptor {
  /*
   * A file has no readiness: a request takes an unknown time and cannot be withdrawn. So each
   * request has its own buffer, which is released when the driver has finished with it. Its caller
   * may detach at any time; then
   *
   *   a read    drops its bytes: the position has not moved, so the next read
   *             reads them again;
   *   a change  (a write, a truncation) goes on, and its failure is deferred to the next writer.
   *             Its bytes count as written. Later requests wait for its end first, and so does
   *             the loop's end.
   *
   * If a write fails while its caller waits, the buffers' positions tell what is in the file
   * (WriteSource). A deferred failure is thrown by writes and by sync(), and by nothing else: reads
   * see the file as it is.
   *
   * Readers and writers share one queue, because they share one position. Bytes that readLine() has
   * read ahead are before that position: any other request first moves it back by their number.
   *
   * Closing ends all waits, refuses new requests, and closes the file when the last request in
   * flight has ended. Otherwise its descriptor could be reused for another file, and the request
   * would work on that one.
   *
   * I1. A read that throws has not moved the position. [FileCancelTest]
   * I2. A buffer is released once, after its request has ended. [FileCancelTest]
   * I3. CLOSE is submitted once, when no request is in flight. [FileCancelTest]
   *
   * Rejected. Using the caller's direct buffer: a cancelled read would write to it later.
   *
   * Sources. trap-28, trap-29, trap-30; loop-256, loop-257, loop-293, loop-294, loop-297.
   */
  private static final int MAX_IN_FLIGHT = 64 << 10; // bytes; 64 calls of it are 0.5 ms of copying

  private final FileDriver files;
  private final OpenFile file;
  private final TransferBuffers buffers;
  private final FileLocks locks;
  private final Path path;
  private final boolean readable;
  private final boolean writable;
  private final boolean appends;

  // loop only
  private final ArrayList<Request> inFlight = new ArrayList<>(); // unordered
  private final Set<Request> detachedChanges = new HashSet<>(); // in flight; their callers left
  private long position; // where the next request begins; bytes read ahead are before it
  private boolean atEnd; // opened to append: the position is the current end

  FileHandle(
      CoroutineNode<?> self,
      FileDriver files,
      OpenFile file,
      Path path,
      Set<? extends OpenOption> options) {
    super(self.scheduler(), false);
    this.files = files;
    this.file = file;
    this.buffers = LoopRuntime.of(self).blockingPools().buffers();
    this.locks = new FileLocks(self, file, this);
    this.path = path;
    this.appends = options.contains(APPEND);
    this.writable = appends || options.contains(WRITE);
    this.readable = !writable || options.contains(READ);
    this.atEnd = appends;
    scheduler().futures().opened(this);
    scheduler().reactor().handleOpened();
  }

  /// Opens a file, or a named pipe once its other end is opened.
  public static AsyncFile open(CoroutineNode<?> self, Path path, Set<? extends OpenOption> options)
      throws IOException {
    FileDriver own = self.scheduler().reactor().driver().files();
    FileDriver files =
        own != null && own.canOpen(path, options)
            ? own
            : LoopRuntime.of(self).blockingPools().files();
    FileOpening opening = new FileOpening(self.scheduler(), files, path, options);
    OpenFile file;
    try {
      file = opening.await(self);
    } catch (Throwable e) {
      AsyncFile pipe = NamedPipe.refused(self, path, options, e);
      if (pipe == null) {
        throw e;
      }
      return pipe;
    }
    AsyncFile pipe = NamedPipe.opened(self, path, options, files, file);
    return pipe == null ? new FileHandle(self, files, file, path, options) : pipe;
  }

  // ---- requests ----

  private final class Request extends FileRequest {
    private final boolean inLine; // it uses and moves the position
    private int place = inFlight.size();

    Request(Kind kind, @Nullable ByteBuffer buffer, long at, boolean inLine) {
      super(scheduler(), FileHandle.this, kind, file, buffer, at);
      this.inLine = inLine;
    }

    @Override
    protected void submitRest() {
      scheduler().runOnCarrier(() -> files.submit(this));
    }

    @Override
    protected void ended() {
      FileHandle.this.ended(this);
    }
  }

  private Request submit(Kind kind, @Nullable ByteBuffer buffer, long at, boolean inLine) {
    Request request = new Request(kind, buffer, at, inLine);
    inFlight.add(request);
    files.submit(request);
    if (files.isPollDue()) {
      scheduler().requestPoll();
    }
    return request;
  }

  private void ended(Request request) {
    forget(request);
    if (request.kind() == Kind.WRITE && request.inLine) {
      position = request.position();
      atEnd = appends;
    } else if (request.kind() == Kind.TRUNCATE && request.failure() == null) {
      position = Math.min(position, request.position());
    }
    if (detachedChanges.remove(request)) {
      deferFailure(request.failure());
    }
    if (request.isDetached() && request.hasBuffer()) {
      buffers.release(request.buffer());
    }
    if (!isOpen() && inFlight.isEmpty()) {
      scheduler().runOnCarrier(this::submitClose);
    }
  }

  private void forget(Request request) {
    Request last = inFlight.removeLast();
    if (last != request) {
      inFlight.set(request.place, last);
      last.place = request.place;
    }
  }

  /// Waits for a request; detaches it if the wait ends early.
  private void await(CoroutineNode<?> self, Request request, Deadline deadline) {
    try {
      request.await(self, deadline);
    } catch (Throwable e) {
      if (!request.hasEnded()) {
        detach(request);
      } else if (isChange(request) && e != request.failure()) {
        deferFailure(request.failure());
      }
      throw e;
    }
  }

  private static boolean isChange(Request request) {
    return request.kind() == Kind.WRITE || request.kind() == Kind.TRUNCATE;
  }

  private void detach(Request request) {
    request.detach();
    if (isChange(request)) {
      detachedChanges.add(request);
      scheduler().notifyLater(() -> keepAliveUntilEnd(request));
    } else {
      files.cancel(request);
    }
  }

  private static void keepAliveUntilEnd(Request request) {
    CoroutineNode<?> self = CoroutineNode.current();
    try {
      self.shielded(() -> self.awaitEvent(request.end()));
    } catch (Exception e) {
      throw Rethrow.unchecked(e);
    }
  }

  private void awaitDetachedChanges(CoroutineNode<?> self, Deadline deadline) throws IOException {
    while (!detachedChanges.isEmpty()) {
      Request one = detachedChanges.iterator().next();
      self.awaitEvent(one.end(), deadline, null);
    }
    self();
  }

  private void releaseBuffer(Request request) {
    if (request.hasEnded()) {
      buffers.release(request.buffer());
    }
  }

  private long submitAndAwait(CoroutineNode<?> self, Kind kind, long at) {
    Request request = submit(kind, null, at, false);
    await(self, request, Deadline.never());
    return request.result();
  }

  // ---- the position ----

  private void rewindReadAhead() {
    position -= readAheadBytes();
    takeReadAhead();
  }

  private void locate(CoroutineNode<?> self) {
    if (atEnd) {
      position = submitAndAwait(self, Kind.SIZE, 0);
      atEnd = false;
    }
  }

  @Override
  public long position() throws IOException {
    return runAfterWrites(self -> {
      awaitDetachedChanges(self, Deadline.never());
      locate(self);
      return position - readAheadBytes();
    });
  }

  @Override
  public void position(long newPosition) throws IOException {
    requireNotNegative(newPosition, "position");
    this.<@Nullable Void>runAfterWrites(self -> {
      awaitDetachedChanges(self, Deadline.never());
      takeReadAhead();
      position = newPosition;
      atEnd = false;
      return null;
    });
  }

  // ---- reading ----

  @Override
  protected int readSome(CoroutineNode<?> self, ByteBuffer into, Deadline deadline)
      throws IOException {
    requireReadable();
    awaitDetachedChanges(self, deadline);
    locate(self);
    int n = transfer(self, into, position, deadline);
    if (n > 0) {
      position += n;
    }
    return n;
  }

  private int transfer(CoroutineNode<?> self, ByteBuffer into, long at, Deadline deadline) {
    int n = tryRead(into, at);
    if (n == FileDriver.WOULD_BLOCK) {
      n = readSubmitted(self, into, at, deadline);
    }
    return n == 0 ? -1 : n;
  }

  /// Reads without a wait, directly into the caller's buffer: the caller cannot leave meanwhile.
  private int tryRead(ByteBuffer into, long at) {
    if (into.remaining() > MAX_IN_FLIGHT) {
      return FileDriver.WOULD_BLOCK;
    }
    if (into.isReadOnly()) {
      throw new ReadOnlyBufferException();
    }
    if (into.isDirect()) {
      byte _ = into.get(into.position()); // throws if its memory was freed
      return files.tryRead(file, into, at);
    }
    ByteBuffer own = buffers.acquire(into.remaining());
    try {
      int n = files.tryRead(file, own, at);
      into.put(own.flip());
      return n;
    } finally {
      buffers.release(own);
    }
  }

  private int readSubmitted(CoroutineNode<?> self, ByteBuffer into, long at, Deadline deadline) {
    Request request = submit(Kind.READ, buffers.acquire(into.remaining()), at, false);
    try {
      await(self, request, deadline);
      int n = (int) request.result();
      ByteBuffer own = request.buffer();
      into.put(own.limit(own.position() + n));
      return n;
    } finally {
      releaseBuffer(request);
    }
  }

  @Override
  public int readAt(ByteBuffer buffer, long at) throws IOException {
    requireNotNegative(at, "position");
    CoroutineNode<?> self = self();
    requireReadable();
    yieldToOthers(self);
    awaitDetachedChanges(
        self, Deadline.never()); // the last check: a closed descriptor may be reused
    return buffer.hasRemaining() ? transfer(self, buffer, at, Deadline.never()) : 0;
  }

  @Override
  public void readFullyAt(ByteBuffer buffer, long at) throws IOException {
    long next = at;
    while (buffer.hasRemaining()) {
      int n = readAt(buffer, next);
      if (n < 0) {
        throw new EOFException(
            "the end of " + this + " came with " + buffer.remaining() + " bytes to go");
      }
      next += n;
    }
  }

  @Override
  public long transferTo(AsyncIo target) throws IOException {
    long sum = target instanceof StreamHandle stream ? sendTo(stream) : 0;
    ByteBuffer buffer = buffers.acquire(TransferBuffers.LARGE);
    try {
      // nothing is left, unless the target does not support sendfile
      return sum + copyTo(target, buffer);
    } finally {
      buffers.release(buffer);
    }
  }

  private long sendTo(StreamHandle target) throws IOException {
    long sum = 0;
    for (long sent = sendSome(target); sent > 0; sent = sendSome(target)) {
      sum += sent;
    }
    return sum;
  }

  private long sendSome(StreamHandle target) throws IOException {
    requireReadable();
    return runAfterWrites(self -> {
      awaitDetachedChanges(self, Deadline.never());
      locate(self);
      rewindReadAhead();
      return target.send(file, position, sent -> position += sent);
    });
  }

  // ---- writing ----

  @Override
  protected void writeWhole(CoroutineNode<?> self, ByteBuffer from, Deadline deadline)
      throws IOException {
    beginToWrite(self, deadline);
    write(self, new WriteSource(from), deadline);
  }

  @Override
  protected void writeWhole(CoroutineNode<?> self, ByteBuffer[] from) throws IOException {
    beginToWrite(self, Deadline.never());
    write(self, new WriteSource(from), Deadline.never());
  }

  private void write(CoroutineNode<?> self, WriteSource from, Deadline deadline) {
    for (long left = from.remaining(); left > 0; left = from.remaining()) {
      sendPiece(self, from, left, position, true, deadline);
    }
  }

  private void beginToWrite(CoroutineNode<?> self, Deadline deadline) throws IOException {
    requireWritable();
    awaitDetachedChanges(self, deadline);
    throwDeferredFailure();
    rewindReadAhead();
  }

  /// Writes up to one internal buffer of bytes; bytes that were not written go back to the caller's
  /// buffers.
  private int sendPiece(
      CoroutineNode<?> self,
      WriteSource from,
      long wanted,
      long at,
      boolean inLine,
      Deadline deadline) {
    ByteBuffer own = buffers.acquire(wanted);
    from.fill(own);
    int size = own.flip().remaining();
    Request request = submit(Kind.WRITE, own, at, inLine);
    try {
      await(self, request, deadline);
      return size;
    } finally {
      if (request.hasEnded()) {
        from.unread(own.remaining());
        buffers.release(own);
      }
    }
  }

  @Override
  public void writeAt(ByteBuffer buffer, long at) throws IOException {
    requireNotNegative(at, "position");
    CoroutineNode<?> self = self();
    requireWritable();
    if (appends) {
      throw new UnsupportedOperationException(
          this + " was opened to append, which has no positions; open it with WRITE alone");
    }
    awaitDetachedChanges(self, Deadline.never());
    throwDeferredFailure();
    if (!isLocked(READERS)) {
      rewindReadAhead(); // the write may change the bytes that were read ahead
    }
    WriteSource from = new WriteSource(buffer);
    long next = at;
    for (long left = from.remaining(); left > 0; left = from.remaining()) {
      next += sendPiece(self, from, left, next, false, Deadline.never());
    }
  }

  // ---- the file as a whole ----

  @Override
  public long size() throws IOException {
    return runAfterWrites(self -> {
      awaitDetachedChanges(self, Deadline.never());
      return submitAndAwait(self, Kind.SIZE, 0);
    });
  }

  @Override
  public void truncate(long size) throws IOException {
    requireNotNegative(size, "size");
    self();
    requireWritable();
    this.<@Nullable Void>runAfterWrites(self -> {
      awaitDetachedChanges(self, Deadline.never());
      rewindReadAhead();
      submitAndAwait(self, Kind.TRUNCATE, size);
      return null;
    });
  }

  @Override
  public void sync() throws IOException {
    sync(Kind.SYNC);
  }

  @Override
  public void syncData() throws IOException {
    sync(Kind.SYNC_DATA);
  }

  private void sync(Kind kind) throws IOException {
    writeExclusively(self -> {
      awaitDetachedChanges(self, Deadline.never());
      throwDeferredFailure();
      return submitAndAwait(self, kind, 0);
    });
  }

  // ---- locks ----

  @Override
  public LockedRange lock(long from, long size) throws IOException {
    return awaitLock(from, size, false);
  }

  @Override
  public LockedRange lockShared(long from, long size) throws IOException {
    return awaitLock(from, size, true);
  }

  private LockedRange awaitLock(long from, long size, boolean shared) throws IOException {
    CoroutineNode<?> self = self();
    LockedRange lock = locks.ask(self, from, size, shared);
    Duration pause = null;
    while (lock == null) {
      pause = FileLocks.pause(self, pause);
      self(); // checks that it is open
      lock = locks.ask(self, from, size, shared);
    }
    return lock;
  }

  @Override
  public @Nullable LockedRange tryLock(long from, long size) throws IOException {
    return locks.ask(self(), from, size, false);
  }

  @Override
  public @Nullable LockedRange tryLockShared(long from, long size) throws IOException {
    return locks.ask(self(), from, size, true);
  }

  @Override
  public int fd() throws IOException {
    self();
    int number = file.fd();
    if (number < 0) {
      String driver = scheduler().reactor().driver().name();
      throw new UnsupportedOperationException(
          this + ": on the driver " + driver + " the JDK does not expose its file descriptor");
    }
    return number;
  }

  @Override
  public Path path() {
    return path;
  }

  @Override
  protected void onClose() {
    for (Request request : List.copyOf(inFlight)) {
      request.failCaller(new AsynchronousCloseException()); // each with its own stack trace
    }
    if (inFlight.isEmpty()) {
      submitClose();
    }
  }

  private void submitClose() {
    files.submit(new FileRequest(scheduler(), this, Kind.CLOSE, file, null, 0) {});
  }

  // ---- argument checks ----

  private void requireReadable() {
    if (!readable) {
      throw new NonReadableChannelException();
    }
  }

  private void requireWritable() {
    if (!writable) {
      throw new NonWritableChannelException();
    }
  }

  private static void requireNotNegative(long value, String name) {
    if (value < 0) {
      throw new IllegalArgumentException("a " + name + " cannot be negative: " + value);
    }
  }

  @Override
  public String toString() {
    return "the file " + path;
  }
}
