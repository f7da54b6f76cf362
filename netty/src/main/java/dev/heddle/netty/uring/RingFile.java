// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.reactor.driver.OpenFile;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A file of the ring: its descriptor, and JDK channels to the same file, created on demand.
final class RingFile implements OpenFile {
  /*
   * The JDK cannot create a channel from a descriptor. /proc/self/fd/N opens the file of the
   * descriptor, also if its path now leads to another file or to none. Locks belong to process and
   * file, so any descriptor can hold them.
   *
   * States.
   *   from    event            to      who
   *   ALONE   channel()        SHARED  a worker thread: CAS
   *   ALONE   closesAlone()    CLOSED  the loop: CAS; it may close the number
   *   SHARED  closeChannels()  CLOSED  a worker thread, under the lock; then the loop
   *                                    may close the number
   *   CLOSED  channel()        same    refused
   *
   * I1. No channel is opened through the descriptor once it may be reused. [RingFilesTest]
   */
  private enum State {
    ALONE,
    SHARED,
    CLOSED
  }

  private final FileDriver owner;
  private final Path path;
  private final int fd;
  private final int flags; // flags of open

  // loop only
  private boolean mayBeCached;

  // any thread
  private final AtomicReference<State> state = new AtomicReference<>(State.ALONE);

  // worker threads, under the lock of this
  private @Nullable FileChannel reader;
  private @Nullable FileChannel writer;

  RingFile(FileDriver owner, Path path, int fd, int flags) {
    this.owner = owner;
    this.path = path;
    this.fd = fd;
    this.flags = flags;
    this.mayBeCached = !isDirect(); // a read that bypasses the cache would block on the device
  }

  FileDriver owner() {
    return owner;
  }

  @Override
  public int fd() {
    return fd;
  }

  boolean isDirect() {
    return OpenFlags.isDirect(flags);
  }

  /// Whether non-blocking reads of cached bytes are possible.
  boolean mayBeCached() {
    return mayBeCached;
  }

  /// Disables non-blocking reads: the system does not support them for this file.
  void isNotCached() {
    mayBeCached = false;
  }

  @Override
  public synchronized FileChannel channel(boolean writing) throws IOException {
    state.compareAndSet(State.ALONE, State.SHARED);
    if (state.get() == State.CLOSED) {
      throw new ClosedChannelException();
    }
    if (writing && !OpenFlags.writes(flags)) {
      throw new NonWritableChannelException();
    }
    if (!writing && !OpenFlags.reads(flags)) {
      throw new NonReadableChannelException();
    }
    FileChannel known = writing ? writer : reader;
    if (known == null) {
      known =
          FileChannel.open(
              Path.of("/proc/self/fd/" + fd),
              writing ? StandardOpenOption.WRITE : StandardOpenOption.READ);
      if (writing) {
        writer = known;
      } else {
        reader = known;
      }
    }
    return known;
  }

  /// Closes the file for channels if none was created; returns whether that was so.
  boolean closesAlone() {
    return state.compareAndSet(State.ALONE, State.CLOSED) || state.get() == State.CLOSED;
  }

  /// Closes its channels, waiting for their running calls.
  synchronized void closeChannels() throws IOException {
    state.set(State.CLOSED);
    FileChannel r = reader;
    FileChannel w = writer;
    try (r;
        w) {
      reader = null;
      writer = null;
    }
  }

  @Override
  public String toString() {
    return path + " (descriptor " + fd + ")";
  }
}
