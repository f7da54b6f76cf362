// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.StreamDescriptor;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/// A byte stream over a descriptor: a direct buffer is used as it is, a heap buffer through the
/// driver's stage.
class UnixStream extends UnixDescriptor implements StreamDescriptor {
  UnixStream(DescriptorRegistry registry, FileDescriptor fd) {
    super(registry, fd);
  }

  // ---- system calls ----

  /// Reads.
  ///
  /// @return the number of bytes; 0: would block; -1: the end
  int receive(ByteBuffer direct, int from, int to) throws IOException {
    return fd().read(direct, from, to);
  }

  /// Whether there may be bytes that the last [#receive] has left.
  ///
  /// @param all whether that call got all that it requested
  boolean mayHaveMore(boolean all) {
    return all;
  }

  /// Writes.
  ///
  /// @return the number of bytes; 0: would block
  int send(ByteBuffer direct, int from, int to) throws IOException {
    return fd().write(direct, from, to);
  }

  /// Writes several buffers. Otherwise as [#send].
  long sendAll(ByteBuffer[] direct, int offset, int length) throws IOException {
    return fd().writev(direct, offset, length, Integer.MAX_VALUE);
  }

  /// Batches all of a small write with those of other sockets.
  boolean tryAppend(ByteBuffer from) {
    return false;
  }

  /// Sends pending bytes; returns whether none are left.
  boolean flushPending() throws IOException {
    return true;
  }

  // ---- buffers ----

  @Override
  public final int read(ByteBuffer into) throws IOException {
    requireOpen();
    Buffers.requireWritable(into);
    try {
      return into.isDirect() ? readDirect(into) : readHeap(into);
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  private int readDirect(ByteBuffer into) throws IOException {
    int at = into.position();
    int n = receive(into, at, into.limit());
    if (n > 0) {
      into.position(at + n);
    }
    received(n, n == into.limit() - at);
    return n;
  }

  private int readHeap(ByteBuffer into) throws IOException {
    ByteBuffer stage = registry().stage();
    int asked = Math.min(into.remaining(), stage.capacity());
    int n = receive(stage, 0, asked);
    if (n > 0) {
      into.put(into.position(), stage, 0, n).position(into.position() + n);
    }
    received(n, n == asked);
    return n;
  }

  private void received(int n, boolean all) {
    if (n > 0) {
      afterCall(IN, mayHaveMore(all));
    } else {
      readDrained();
    }
  }

  @Override
  public final boolean isDrained() {
    return !isReady(IN);
  }

  @Override
  public final int write(ByteBuffer from) throws IOException {
    requireOpen();
    int size = from.remaining();
    Buffers.requireAlive(from);
    if (tryAppend(from)) {
      return size;
    }
    try {
      if (!flushPending()) {
        afterCall(OUT, false);
        return 0;
      }
      int n = from.isDirect() ? send(from, from.position(), from.limit()) : writeHeap(from);
      from.position(from.position() + n);
      afterCall(OUT, n == size);
      return n;
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  private int writeHeap(ByteBuffer from) throws IOException {
    ByteBuffer stage = registry().stage();
    int size = Math.min(from.remaining(), stage.capacity());
    stage.put(0, from, from.position(), size);
    return send(stage, 0, size);
  }

  @Override
  public final long write(ByteBuffer[] from, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, from.length);
    requireOpen();
    boolean direct = true;
    for (int i = offset; i < offset + length; i++) {
      direct &= from[i].isDirect();
      Buffers.requireAlive(from[i]);
    }
    try {
      if (!flushPending()) {
        afterCall(OUT, false);
        return 0;
      }
      return direct ? writeDirect(from, offset, length) : writeStaged(from, offset, length);
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  private long writeDirect(ByteBuffer[] from, int offset, int length) throws IOException {
    long n = sendAll(from, offset, length);
    afterCall(OUT, n > 0); // a short write may have stopped at the limit of a call
    advance(from, offset, n);
    return n;
  }

  /// Copies as many buffers as fit to the stage and writes them in one call, which is cheaper than
  /// one call each.
  private long writeStaged(ByteBuffer[] from, int offset, int length) throws IOException {
    ByteBuffer stage = registry().stage();
    for (int i = offset; i < offset + length && stage.hasRemaining(); i++) {
      int size = Math.min(from[i].remaining(), stage.remaining());
      stage.put(stage.position(), from[i], from[i].position(), size);
      stage.position(stage.position() + size);
    }
    int n = send(stage, 0, stage.position());
    afterCall(OUT, n == stage.position());
    advance(from, offset, n);
    return n;
  }

  private static void advance(ByteBuffer[] from, int offset, long n) {
    long left = n;
    for (int i = offset; left > 0; i++) {
      int taken = (int) Math.min(left, from[i].remaining());
      from[i].position(from[i].position() + taken);
      left -= taken;
    }
  }
}
