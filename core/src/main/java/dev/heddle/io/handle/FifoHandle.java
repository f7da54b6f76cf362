// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.io.AsyncFile;
import dev.heddle.io.LockedRange;
import dev.heddle.reactor.linux.RawStream;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// An end of a named pipe that the driver polls, also when it was opened as a file: it has no
/// positions, length or locks.
final class FifoHandle extends StreamHandle implements AsyncFile {
  private final Path path;
  private final boolean reads;
  private final boolean writes;

  /// @param come bytes that were read while it was opened
  FifoHandle(
      Scheduler scheduler,
      RawStream stream,
      Path path,
      boolean reads,
      boolean writes,
      ByteBuffer come) {
    super(scheduler, stream, "the named pipe " + path);
    this.path = path;
    this.reads = reads;
    this.writes = writes;
    if (come.hasRemaining()) {
      appendReadAhead(come);
    }
  }

  @Override
  protected int readSome(CoroutineNode<?> self, ByteBuffer into, Deadline deadline)
      throws IOException {
    if (!reads) {
      throw new NonReadableChannelException();
    }
    return super.readSome(self, into, deadline);
  }

  @Override
  protected void writeWhole(CoroutineNode<?> self, ByteBuffer from, Deadline deadline)
      throws IOException {
    requireWritable();
    super.writeWhole(self, from, deadline);
  }

  @Override
  protected void writeWhole(CoroutineNode<?> self, ByteBuffer[] from) throws IOException {
    requireWritable();
    super.writeWhole(self, from);
  }

  private void requireWritable() {
    if (!writes) {
      throw new NonWritableChannelException();
    }
  }

  @Override
  public Path path() {
    return path;
  }

  private IOException refusal(String what) {
    return new IOException(this + " has no " + what);
  }

  @Override
  public int readAt(ByteBuffer buffer, long position) throws IOException {
    throw refusal("positions");
  }

  @Override
  public void readFullyAt(ByteBuffer buffer, long position) throws IOException {
    throw refusal("positions");
  }

  @Override
  public void writeAt(ByteBuffer buffer, long position) throws IOException {
    throw refusal("positions");
  }

  @Override
  public long position() throws IOException {
    throw refusal("positions");
  }

  @Override
  public void position(long position) throws IOException {
    throw refusal("positions");
  }

  @Override
  public long size() throws IOException {
    throw refusal("length");
  }

  @Override
  public void truncate(long size) throws IOException {
    throw refusal("length");
  }

  @Override
  public void sync() throws IOException {
    throw refusal("device");
  }

  @Override
  public void syncData() throws IOException {
    throw refusal("device");
  }

  @Override
  public LockedRange lock(long position, long size) throws IOException {
    throw refusal("locks");
  }

  @Override
  public LockedRange lockShared(long position, long size) throws IOException {
    throw refusal("locks");
  }

  @Override
  public @Nullable LockedRange tryLock(long position, long size) throws IOException {
    throw refusal("locks");
  }

  @Override
  public @Nullable LockedRange tryLockShared(long position, long size) throws IOException {
    throw refusal("locks");
  }
}
