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
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;

/// A stream of bytes whose descriptor never waits: tries on the coroutine's own stack, waits for
/// readiness when there is nothing to do, tries again.
public class StreamHandle extends Handle implements HasFileDescriptor {
  /*
   * After a read that left room in its buffer nothing more is there. The next read waits first,
   * which saves the system call that would only say so. Readiness is reported for all that comes
   * later, by edge or by level (ReactorDriver). But a read also stops before TCP's urgent byte, and
   * on a UNIX socket before bytes that were sent with descriptors or by another process: the
   * descriptor knows (isDrained), and then the next read tries first.
   */
  private static final long PIECE = 1 << 20; // bytes of a file, sent in one go
  private static final long END = Long.MIN_VALUE;
  private static final int CHUNK = 64 << 10; // bytes
  private static final int MAX_BUFFERED_INPUT =
      8 << 20; // bytes; more than a socket holds: not of a peer that writes as fast as we read
  private static final int VECTOR = 1_024; // buffers in one call: what Linux allows (IOV_MAX)

  private final StreamDescriptor descriptor;
  private final Object owner;
  private final PollEvent readable;
  private final PollEvent writable;

  // loop only
  private boolean drained;
  private boolean inputEnded; // by us

  /// A handle for a descriptor that is open.
  ///
  /// @param owner as errors and dumps call it
  public StreamHandle(Scheduler scheduler, StreamDescriptor descriptor, Object owner) {
    super(scheduler);
    this.descriptor = descriptor;
    this.owner = owner;
    this.readable = new PollEvent(scheduler, Direction.READ, descriptor, this);
    this.writable = new PollEvent(scheduler, Direction.WRITE, descriptor, this);
  }

  @Override
  protected int readSome(CoroutineNode<?> self, ByteBuffer into, Deadline deadline)
      throws IOException {
    if (inputEnded) {
      return -1;
    }
    int n = drained ? 0 : descriptor.read(into);
    while (n == 0) {
      await(self, readable, deadline);
      n = inputEnded ? takeRemaining(into) : descriptor.read(into);
    }
    drained = n > 0 && into.hasRemaining() && descriptor.isDrained();
    return n;
  }

  /// For one who waited when the input was ended: what had come is kept for whoever reads.
  private int takeRemaining(ByteBuffer into) {
    ByteBuffer kept = takeReadAhead();
    return kept == null ? -1 : moveOrKeep(kept, into);
  }

  /// Reads what has come, for those who read later; then comes the end.
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
        await(self, writable, deadline);
      }
    }
  }

  @Override
  protected void writeWhole(CoroutineNode<?> self, ByteBuffer[] from) throws IOException {
    ByteBuffer[] full = withoutEmpty(from);
    int first = 0;
    while (first < full.length) {
      if (descriptor.write(full, first, Math.min(VECTOR, full.length - first)) == 0) {
        await(self, writable, Deadline.never());
      }
      while (first < full.length && !full[first].hasRemaining()) {
        first++;
      }
    }
  }

  @Override
  void tryWriteNow(ByteBuffer bytes) throws IOException {
    if (isOpen() && !isWriting()) {
      descriptor.write(bytes);
    }
  }

  // ---- by other calls than the usual ones ----

  /// Reads by a call of its own; what was read ahead, or kept, comes first and without it.
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
            await(self, readable, Deadline.never());
            n = inputEnded ? takeRemaining(into) : call.make();
          }
          drained = false;
          return n;
        });
  }

  /// Writes all of `from`, the first of it by a call of its own.
  final void writeBy(ByteBuffer from, Call call) throws IOException {
    writeExclusively(
        Deadline.never(),
        self -> {
          while (call.make() == 0) {
            await(self, writable, Deadline.never());
          }
          writeWhole(self, from, Deadline.never());
          return from;
        });
  }

  /// A call of the descriptor's.
  @FunctionalInterface
  interface Call {
    /// Makes it.
    ///
    /// @return how many bytes; 0: none now
    int make() throws IOException;
  }

  @Override
  public final int fd() throws IOException {
    self();
    return scheduler().reactor().driver().fd(descriptor);
  }

  /// Has the system send some of a file, beside the loop: the file may have to be read from a disk.
  ///
  /// A piece that the system has been asked for is waited for also when the caller is cancelled:
  /// what leaves later would be among what others write.
  ///
  /// @param moved is told how many bytes have left, also when the caller is cancelled then
  /// @return how many bytes; 0: the file ends there; -1: it cannot
  final long send(OpenFile file, long position, LongConsumer moved) throws IOException {
    boolean byNumber = descriptor.supportsSendfile() && file.fd() >= 0;
    if (!byNumber && !descriptor.supportsFileTransfer()) {
      return -1;
    }
    return writeExclusively(
        Deadline.never(),
        self -> {
          long sent = sendPiece(self, file, position, byNumber, moved);
          while (sent == 0) {
            await(self, writable, Deadline.never());
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

  private static void await(CoroutineNode<?> self, PollEvent readiness, Deadline deadline) {
    if (deadline.isNever()) {
      self.awaitEvent(readiness);
    } else {
      self.awaitEvent(readiness, deadline, null);
    }
  }

  /// Waits until it is worth asking whether output is possible.
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
