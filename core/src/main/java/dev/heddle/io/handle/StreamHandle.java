// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.internal.Rethrow;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.reactor.PollEvent;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.FileTransfer;
import dev.heddle.reactor.driver.OpenFile;
import dev.heddle.reactor.driver.StreamDescriptor;
import dev.heddle.scheduler.Scheduler;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;

/// A byte stream over a non-blocking descriptor: the coroutine tries, waits for readiness if the
/// call would block, and tries again.
public class StreamHandle extends Handle implements HasFileDescriptor {
  /*
   * A read that left room in its buffer has drained the descriptor. The next read waits first,
   * which saves the system call that would only report EAGAIN. Readiness is reported for all bytes
   * that arrive later, edge- or level-triggered (ReactorDriver). But a read also stops before TCP's
   * urgent byte, and on a UNIX socket before bytes that were sent with descriptors or by another
   * process: then isDrained() is false, and the next read tries first.
   */
  private static final long PIECE = 1 << 20; // bytes of a file per sendfile call
  private static final long END = Long.MIN_VALUE;
  private static final int CHUNK = 64 << 10; // bytes
  private static final int MAX_BUFFERED_INPUT = 8 << 20; // bytes; more than a socket buffers
  private static final int VECTOR = 1_024; // buffers in one call: Linux's IOV_MAX

  private final StreamDescriptor descriptor;
  private final Object owner;
  private final PollEvent readable;
  private final PollEvent writable;

  // loop only
  private boolean drained;
  private boolean inputEnded; // by shutdownInput

  /// A handle over an open descriptor.
  ///
  /// @param owner name in messages and dumps
  public StreamHandle(Scheduler scheduler, StreamDescriptor descriptor, Object owner) {
    super(scheduler);
    this.descriptor = descriptor;
    this.owner = owner;
    this.readable = new PollEvent(scheduler, Direction.READ, descriptor, this);
    this.writable = new PollEvent(scheduler, Direction.WRITE, descriptor, this);
    scheduler.futures().opened(this);
    scheduler.reactor().handleOpened();
  }

  @Override
  protected int readSome(CoroutineNode<?> self, ByteBuffer into, Deadline deadline)
      throws IOException {
    if (inputEnded) {
      return -1;
    }
    int n = drained ? 0 : descriptor.read(into);
    while (n == 0) {
      self.awaitEvent(readable, deadline, null);
      n = inputEnded ? takeRemaining(into) : descriptor.read(into);
    }
    drained = n > 0 && into.hasRemaining() && descriptor.isDrained();
    return n;
  }

  /// For a reader that waited when the input was shut down: takes the bytes that had arrived.
  private int takeRemaining(ByteBuffer into) {
    ByteBuffer kept = takeReadAhead();
    return kept == null ? -1 : moveOrKeep(kept, into);
  }

  /// Keeps the bytes that have arrived for later reads and ends the input.
  final void endInput() throws IOException {
    ByteArrayOutputStream come = new ByteArrayOutputStream();
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
    int n = inputEnded ? -1 : descriptor.read(chunk);
    while (n > 0 && come.size() < MAX_BUFFERED_INPUT) {
      come.write(chunk.array(), 0, n);
      n = descriptor.read(chunk.clear());
    }
    inputEnded = true;
    if (come.size() > 0) {
      appendReadAhead(ByteBuffer.wrap(come.toByteArray()));
    }
  }

  @Override
  protected void writeWhole(CoroutineNode<?> self, ByteBuffer from, Deadline deadline)
      throws IOException {
    while (from.hasRemaining()) {
      if (descriptor.write(from) == 0) {
        self.awaitEvent(writable, deadline, null);
      }
    }
  }

  @Override
  protected void writeWhole(CoroutineNode<?> self, ByteBuffer[] from) throws IOException {
    ByteBuffer[] full =
        Arrays.stream(from).filter(ByteBuffer::hasRemaining).toArray(ByteBuffer[]::new);
    int first = 0;
    while (first < full.length) {
      if (descriptor.write(full, first, Math.min(VECTOR, full.length - first)) == 0) {
        self.awaitEvent(writable);
      }
      while (first < full.length && !full[first].hasRemaining()) {
        first++;
      }
    }
  }

  @Override
  void tryWriteNow(ByteBuffer bytes) throws IOException {
    if (isOpen() && !isLocked(writeDirection())) {
      descriptor.write(bytes);
    }
  }

  // ---- special calls ----

  /// Reads by a given call; bytes read ahead come first, without the call.
  ///
  /// @return as [StreamDescriptor#read]
  final int readBy(ByteBuffer into, Call call) throws IOException {
    return readExclusively(
        Deadline.never(),
        self -> {
          if (readAheadBytes() > 0) {
            return takeRemaining(into);
          }
          int n = inputEnded ? -1 : call.make();
          while (n == 0) {
            self.awaitEvent(readable);
            n = inputEnded ? takeRemaining(into) : call.make();
          }
          drained = false;
          return n;
        });
  }

  /// Writes all of `from`, the first bytes by a given call.
  final void writeBy(ByteBuffer from, Call call) throws IOException {
    writeExclusively(self -> {
      while (call.make() == 0) {
        self.awaitEvent(writable);
      }
      writeWhole(self, from, Deadline.never());
      return from;
    });
  }

  /// A call of the descriptor.
  @FunctionalInterface
  interface Call {
    /// Makes the call.
    ///
    /// @return the number of bytes; 0: would block
    int make() throws IOException;
  }

  @Override
  public final int fd() throws IOException {
    self();
    return scheduler().reactor().driver().fd(descriptor);
  }

  /// Sends a part of a file by sendfile, on a worker thread, because the file may have to be read
  /// from disk.
  ///
  /// A cancelled caller still waits for the piece in flight: otherwise its bytes would mix with
  /// those of other writers.
  ///
  /// @param moved called with the number of bytes sent, also when the caller is cancelled
  /// @return the number of bytes; 0 at the end of the file; -1 if unsupported
  final long send(OpenFile file, long position, LongConsumer moved) throws IOException {
    boolean byNumber = descriptor.supportsSendfile() && file.fd() >= 0;
    if (!byNumber && !descriptor.supportsFileTransfer()) {
      return -1;
    }
    return writeExclusively(self -> {
      long sent = sendPiece(self, file, position, byNumber, moved);
      while (sent == 0) {
        self.awaitEvent(writable);
        sent = sendPiece(self, file, position, byNumber, moved);
      }
      return sent == END ? 0 : sent;
    });
  }

  private long sendPiece(
      CoroutineNode<?> self, OpenFile file, long position, boolean byNumber, LongConsumer moved)
      throws IOException {
    if (!byNumber) {
      return sendOffloaded(self, moved, () -> sendChannel(file, position));
    }
    try (FileTransfer sending = descriptor.prepareFileTransfer(file, position, PIECE)) {
      long sent = sending == null ? 0 : sendOffloaded(self, moved, sending::send);
      return sent == FileTransfer.END ? END : Math.max(sent, -1);
    }
  }

  private long sendChannel(OpenFile file, long position) throws IOException {
    FileChannel channel = file.channel(false);
    long left = channel.size() - position;
    return left <= 0 ? END : descriptor.send(channel, position, Math.min(left, PIECE));
  }

  private static long sendOffloaded(
      CoroutineNode<?> self, LongConsumer moved, Callable<Long> piece) {
    try {
      return self.shielded(() -> {
        long sent =
            (Long)
                Objects.requireNonNull(
                    LoopRuntime.of(self)
                        .blockingPools()
                        .paths()
                        .run(self, "sending a file", piece));
        moved.accept(Math.max(sent, 0));
        return sent;
      });
    } catch (Exception e) {
      throw Rethrow.unchecked(e);
    }
  }

  /// Waits until output may be possible.
  final void awaitWritable(CoroutineNode<?> self) {
    self.awaitEvent(writable);
  }

  @Override
  protected void onClose() {
    AsynchronousCloseException closed = new AsynchronousCloseException();
    readable.abort(closed);
    writable.abort(closed);
    descriptor.close();
  }

  @Override
  public final String toString() {
    return owner.toString();
  }
}
