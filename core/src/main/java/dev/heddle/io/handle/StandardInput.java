// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.thread.worker.BlockingFile;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Standard input, as seen by one handle of one loop.
///
/// **Thread** any but the carrier.
final class StandardInput implements BlockingFile {
  /*
   * A blocking read of standard input cannot be interrupted, and the descriptor must not be closed.
   * So one thread of the process reads when a reader wants bytes and none are available, and puts
   * them in `there`, where handles of other loops find them, too. A reader waits for them here, and
   * its wait can be ended. Bytes given to a handle stay in `unreceived` until a reader has them;
   * they go back when the handle is closed or its loop ends.
   *
   * In a program started without standard input, descriptor 0 belongs to another file, because the
   * JVM opens its own files first.
   */
  private static final Shared PROCESS = new Shared();

  // guarded by PROCESS
  private boolean closed;
  private @Nullable ByteBuffer ahead; // of the bytes that no handle has taken

  // written by the reading thread, then the carrier, then the closing thread, never concurrently
  private volatile @Nullable ByteBuffer unreceived;

  @Override
  public FileChannel channel(boolean writing) {
    throw new UnsupportedOperationException("standard input is not a file");
  }

  @Override
  public long perform(FileOperation operation) throws IOException {
    switch (operation.kind()) {
      case READ -> {
        return PROCESS.take(operation.buffer(), this);
      }
      case CLOSE -> PROCESS.close(this);
      default -> throw new IllegalStateException("standard input does not support " + operation);
    }
    return 0;
  }

  @Override
  public void onReceived() {
    unreceived = null;
  }

  @Override
  public void unread(ByteBuffer bytes) {
    PROCESS.keep(this, bytes);
  }

  // at once, not in the task that closes it: the next loop may read before that task runs
  @Override
  public void closing() {
    PROCESS.close(this);
  }

  /// Called when the loop has ended and the handle is still open.
  void loopEnded() {
    PROCESS.close(this);
  }

  /// The state that all handles share.
  private static final class Shared {
    private static final int CHUNK = 16 << 10; // bytes

    private final FileInputStream in = new FileInputStream(FileDescriptor.in);

    // guarded by this
    private ByteBuffer there = ByteBuffer.allocate(0);
    private boolean wanted;
    private boolean started;
    private boolean ended;
    private @Nullable IOException failure;

    synchronized int take(ByteBuffer into, StandardInput handle) throws IOException {
      while (handle.closed || !there.hasRemaining()) {
        if (handle.closed) {
          throw new AsynchronousCloseException();
        }
        if (failure != null) {
          throw new IOException(failure.getMessage(), failure);
        }
        if (ended) {
          return 0;
        }
        want();
        try {
          wait();
        } catch (InterruptedException _) {
          throw new InterruptedIOException("the loop has ended");
        }
      }
      int n = Math.min(there.remaining(), into.remaining());
      into.put(into.position(), there, there.position(), n);
      handle.unreceived = ByteBuffer.allocate(n).put(0, there, there.position(), n);
      there.position(there.position() + n);
      return n;
    }

    private synchronized void want() {
      if (!started) {
        started = true;
        Thread.ofPlatform().daemon().name("heddle-standard-input").start(this::serve);
      }
      if (!wanted) {
        // notify only once: the waiting threads would otherwise wake each other forever
        wanted = true;
        notifyAll();
      }
    }

    synchronized void keep(StandardInput handle, ByteBuffer bytes) {
      handle.ahead = bytes;
    }

    synchronized void close(StandardInput handle) {
      handle.closed = true;
      giveBack(handle.unreceived);
      giveBack(handle.ahead);
      handle.unreceived = null;
      handle.ahead = null;
      notifyAll();
    }

    private void giveBack(@Nullable ByteBuffer bytes) {
      if (bytes != null) {
        there =
            ByteBuffer.allocate(bytes.remaining() + there.remaining()).put(bytes).put(there).flip();
      }
    }

    private void serve() {
      try {
        requireOurs();
        byte[] chunk = new byte[CHUNK];
        int n;
        do {
          awaitWanted();
          n = in.read(chunk);
          came(chunk, n);
        } while (n >= 0);
      } catch (IOException e) {
        broke(e);
      } catch (InterruptedException e) {
        broke(new IOException("the thread that reads standard input was interrupted", e));
      }
    }

    private static void requireOurs() throws IOException {
      Path link = Path.of("/proc/self/fd/0");
      if (Files.isSymbolicLink(link)
          && Files.readSymbolicLink(link).startsWith(System.getProperty("java.home"))) {
        throw new IOException(
            "standard input is closed; start the program with an open one: < /dev/null");
      }
    }

    private synchronized void awaitWanted() throws InterruptedException {
      while (!wanted) {
        wait();
      }
    }

    private synchronized void came(byte[] chunk, int n) {
      wanted = false;
      if (n < 0) {
        ended = true;
      } else {
        giveBack(ByteBuffer.wrap(chunk, 0, n));
      }
      notifyAll();
    }

    private synchronized void broke(IOException why) {
      failure = why;
      notifyAll();
    }
  }
}
