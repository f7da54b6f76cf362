// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.reactor.driver.FileOperation.Kind;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.thread.worker.BlockingFile;
import dev.heddle.thread.worker.BlockingFileDriver;
import dev.heddle.thread.worker.TransferBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A stream whose calls block on its own threads: a named pipe, standard input, a terminal.
public class BlockingHandle extends Handle {
  /*
   * At most one read and one write are in flight. A read whose caller has detached goes on. The
   * next reader waits for it instead of starting another, and gets its bytes: none is lost or
   * reordered. A write whose caller has detached goes on, too; the next writer waits for its end
   * and gets its failure.
   *
   * Closing ends all waits and closes the stream while a system call may still be reading from it:
   * nothing else would wake the thread in that call. The stream's implementation ensures this
   * (BlockingFile).
   *
   * Sources. trap-28, trap-36; loop-252, loop-253, loop-254, loop-258.
   */
  static final int THREADS = 3; // one to read, one to write, one to close

  private final BlockingFileDriver threads;
  private final BlockingFile file;
  private final TransferBuffers buffers;
  private final Object what;

  // loop only
  private @Nullable Request reading;
  private @Nullable Request writing;
  private boolean ended;

  /// A handle over an open stream.
  ///
  /// @param threads the handle's own
  /// @param what name in messages and dumps
  protected BlockingHandle(
      CoroutineNode<?> self, BlockingFileDriver threads, BlockingFile file, Object what) {
    super(self.scheduler());
    this.threads = threads;
    this.file = file;
    this.buffers = LoopRuntime.of(self).blockingPools().buffers();
    this.what = what;
  }

  /// Makes a handle.
  @FunctionalInterface
  public interface Maker<H extends BlockingHandle> {
    /// Creates a handle over an open stream.
    H make(CoroutineNode<?> self, BlockingFileDriver threads, BlockingFile file);
  }

  /// Opens a stream; may block.
  ///
  /// @param kind names its threads
  /// @param leaving unblocks a thread that is opening the stream for a caller that has left or is
  ///   about to; the latch is counted down when the thread has returned
  public static <H extends BlockingHandle> H open(
      String kind,
      Path path,
      Set<? extends OpenOption> options,
      BlockingFile.Opener opener,
      Consumer<CountDownLatch> leaving,
      Maker<H> maker) {
    CoroutineNode<?> self = CoroutineNode.current();
    CountDownLatch back = new CountDownLatch(1);
    BlockingFileDriver threads =
        LoopRuntime.of(self).blockingPools().files(kind, THREADS, noting(opener, back));
    FileOpening opening = new FileOpening(self.scheduler(), threads, path, options);
    boolean opened = false;
    try {
      BlockingFile file = (BlockingFile) opening.await(self);
      opened = true;
      return maker.make(self, threads, file);
    } finally {
      if (!opened) {
        giveUp(self.scheduler(), threads, opening, leaving, back);
      }
    }
  }

  private static BlockingFile.Opener noting(BlockingFile.Opener opener, CountDownLatch back) {
    return operation -> {
      try {
        return opener.open(operation);
      } finally {
        back.countDown();
      }
    };
  }

  private static void giveUp(
      Scheduler scheduler,
      BlockingFileDriver threads,
      FileOpening opening,
      Consumer<CountDownLatch> leaving,
      CountDownLatch back) {
    if (opening.hasEnded()) {
      threads.finish();
      return;
    }
    leaving.accept(back);
    // after the task that closes a stream whose opener has left
    InlineCallback whenOpened =
        (event, result, error) -> {
          back.countDown(); // in case the task never began
          scheduler.runOnCarrier(threads::finish);
        };
    opening.end().subscribe(whenOpened);
  }

  /// A handle over an existing stream.
  public static BlockingHandle of(String kind, Object what, BlockingFile file) {
    CoroutineNode<?> self = CoroutineNode.current();
    BlockingFileDriver threads =
        LoopRuntime.of(self).blockingPools().files(kind, THREADS, _ -> file);
    return new BlockingHandle(self, threads, file, what);
  }

  private final class Request extends FileRequest {
    Request(Kind kind, ByteBuffer buffer) {
      super(scheduler(), BlockingHandle.this, kind, file, buffer, 0);
    }

    @Override
    protected void ended() {
      if (kind() == Kind.WRITE && isDetached()) {
        written(this);
        deferFailure(failure());
      } else if (this == reading && !isOpen()) {
        scheduler().runOnCarrier(BlockingHandle.this::release);
      }
    }
  }

  private Request submit(Kind kind, ByteBuffer buffer) {
    Request request = new Request(kind, buffer);
    threads.submit(request);
    return request;
  }

  // ---- reading ----

  @Override
  protected int readSome(CoroutineNode<?> self, ByteBuffer into, Deadline deadline)
      throws IOException {
    self(); // it may have been closed while this reader yielded
    if (ended) {
      return -1;
    }
    Request request = reading;
    if (request == null) {
      request = submit(Kind.READ, buffers.acquire(into.remaining()));
      reading = request;
    }
    ByteBuffer own = request.buffer();
    try {
      request.await(self, deadline);
    } catch (Throwable e) {
      if (reading == request && request.hasEnded() && e == request.failure()) {
        completed(own);
      }
      throw e;
    }
    if (reading != request) {
      // closed since the read ended: its bytes were returned to the stream, its buffer released
      throw new AsynchronousCloseException();
    }
    file.onReceived();
    own.limit(own.position() + (int) request.result());
    ended = request.result() == 0;
    // a read begun for another caller may have more bytes than this one has room for
    int n = ended ? -1 : moveOrKeep(own, into);
    completed(own);
    return n;
  }

  private void completed(ByteBuffer own) {
    reading = null;
    buffers.release(own);
  }

  // ---- writing ----

  @Override
  protected void writeWhole(CoroutineNode<?> self, ByteBuffer from, Deadline deadline)
      throws IOException {
    Request before = writing;
    if (before != null) {
      self.awaitEvent(before.end(), deadline, null);
      self(); // still open?
      throwDeferredFailure();
    }
    while (from.hasRemaining()) {
      ByteBuffer own = buffers.acquire(from.remaining());
      move(from, own);
      send(self, submit(Kind.WRITE, own.flip()), deadline);
      if (!isOpen() && from.hasRemaining()) {
        // closed since the last part was written: its threads accept no more tasks
        throw new AsynchronousCloseException();
      }
    }
  }

  private void send(CoroutineNode<?> self, Request request, Deadline deadline) {
    writing = request;
    try {
      request.await(self, deadline);
    } catch (Throwable e) {
      if (!request.hasEnded()) {
        request.detach();
        throw e;
      }
      if (e != request.failure()) {
        deferFailure(request.failure());
      }
      written(request);
      throw e;
    }
    written(request);
  }

  private void written(Request request) {
    writing = null;
    buffers.release(request.buffer());
  }

  // ---- its end ----

  @Override
  protected void onClose() {
    // each waiter throws an exception with its own stack trace
    if (reading != null) {
      reading.failCaller(new AsynchronousCloseException());
    }
    if (writing != null) {
      writing.failCaller(new AsynchronousCloseException());
    }
    scheduler().runOnCarrier(this::end);
  }

  /// Runs outside of coroutines, because the stream may take a lock when bytes are returned to it.
  private void end() {
    unread();
    file.closing();
    threads.submit(new FileRequest(scheduler(), this, Kind.CLOSE, file, null, 0) {});
    threads.finish();
    if (reading == null || reading.hasEnded()) {
      release();
    }
  }

  /// Returns the bytes that no reader has received to the stream, for its next handle.
  final void unread() {
    ByteBuffer kept = takeReadAhead();
    if (kept != null) {
      file.unread(kept);
    }
  }

  private void release() {
    Request request = reading;
    if (request != null) {
      completed(request.buffer());
    }
  }

  @Override
  public String toString() {
    return what.toString();
  }
}
