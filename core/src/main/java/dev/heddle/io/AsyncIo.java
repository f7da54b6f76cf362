// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.event.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import org.jspecify.annotations.Nullable;

/// An open handle to read from, write to, or both: a connection, a datagram socket, a pipe, a file,
/// a terminal. Calls suspend the coroutine, never the thread.
///
/// Reads run in the order of their calls, and so do writes; one read and one write may run at the
/// same time. Calls that take no [Deadline] are bounded by
/// [dev.heddle.Heddle#withTimeout(java.time.Duration, dev.heddle.Body)]. **Thread** the loop that
/// opened it; it is closed with its loop at the latest.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=stream}
///
/// @since 0.1
public interface AsyncIo extends AutoCloseable {
  /// Reads at least one byte into `buffer`. **Suspends** until there is one. **Cancelled** no byte
  /// is lost: the next read returns it.
  ///
  /// @return the number of bytes, or -1 at the end of the input; 0 only for a buffer without room
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  /// @throws java.nio.channels.NonReadableChannelException when the handle is write-only
  /// @throws IOException when the connection or device fails
  default int read(ByteBuffer buffer) throws IOException {
    return read(buffer, Deadline.never());
  }

  /// Reads at least one byte, waiting until a deadline at most. Otherwise as [#read(ByteBuffer)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline expires first; the handle stays
  ///   readable
  int read(ByteBuffer buffer, Deadline deadline) throws IOException;

  /// Reads at least one byte into a memory segment. Otherwise as [#read(ByteBuffer)].
  ///
  /// @throws IllegalArgumentException for a heap segment that is not backed by a `byte[]`
  default int read(MemorySegment segment) throws IOException {
    return read(Segments.first(segment));
  }

  /// Reads until `buffer` is full. **Cancelled** what was read so far is in the buffer. Otherwise
  /// as [#read(ByteBuffer)].
  ///
  /// @throws java.io.EOFException when the input ends first; the bytes before the end are in the
  ///   buffer
  void readFully(ByteBuffer buffer) throws IOException;

  /// Reads a line of at most 64 KiB. Otherwise as [#readLineUpTo].
  ///
  /// @throws IOException when the line is longer; [#readLineUpTo] takes longer ones
  default @Nullable String readLine() throws IOException {
    return readLineUpTo(64 << 10);
  }

  /// Reads a line in UTF-8, without its terminator, which is a line feed or a carriage return and a
  /// line feed. The last line needs no terminator. An incomplete line is kept in memory until its
  /// terminator arrives; the limit bounds the memory that a peer can occupy. **Cancelled** no byte
  /// is lost. Otherwise as [#read(ByteBuffer)].
  ///
  /// @param limit the maximum number of bytes in the line, without its terminator
  /// @return null at the end of the input
  /// @throws IOException when the line is longer; the message names the limit. Nothing is lost:
  ///   another call with a larger limit finds the line whole, as does one that reads bytes
  /// @throws IllegalArgumentException for a limit that is not positive
  @Nullable String readLineUpTo(int limit) throws IOException;

  /// Copies everything up to the end of the input to `target`; neither side is closed. **Suspends**
  /// while there is nothing to read or `target` takes no more.
  ///
  /// **Cancelled** what was read and `target` has not taken is lost, up to some KiB; the same holds
  /// when `target` fails. Read and write in a loop of your own where it must not be.
  ///
  /// @return the number of bytes
  /// @throws IOException when either side fails
  long transferTo(AsyncIo target) throws IOException;

  /// Writes all of `buffer`. **Suspends** while the other side does not accept it. **Cancelled**
  /// the buffer's position tells how much was written.
  ///
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  /// @throws java.nio.channels.NonWritableChannelException when the handle is read-only
  /// @throws IOException when the connection or device fails, or an earlier
  ///   [#writeLater(ByteBuffer)] failed
  default void write(ByteBuffer buffer) throws IOException {
    write(buffer, Deadline.never());
  }

  /// Writes all of `buffer`, waiting until a deadline at most. Otherwise as [#write(ByteBuffer)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline expires first; the buffer's position
  ///   tells how much was written
  void write(ByteBuffer buffer, Deadline deadline) throws IOException;

  /// Writes all of several buffers, in order, with as few system calls as possible. Otherwise as
  /// [#write(ByteBuffer)].
  void writeAll(ByteBuffer... buffers) throws IOException;

  /// Writes all of a segment. Otherwise as [#write(ByteBuffer)].
  ///
  /// @throws IllegalArgumentException for a heap segment that is not backed by a `byte[]`
  default void write(MemorySegment segment) throws IOException {
    if (Segments.isOne(segment)) {
      write(segment.asByteBuffer());
    } else {
      writeAll(Segments.pieces(segment));
    }
  }

  /// Writes a copy of `buffer` in the background; the caller waits only if more than 64 KiB are
  /// pending. Otherwise as [#writeLater(ByteBuffer, long)].
  default void writeLater(ByteBuffer buffer) throws IOException {
    writeLater(buffer, 64 << 10); // where Netty's channels stop being writable, too
  }

  /// Writes a copy of `buffer` in the background. Pending bytes are written in the order of the
  /// calls, before later writes, and keep the loop alive until they are written. **Suspends** if
  /// more than `bound` bytes are pending, until all of them are written, or if an earlier call is
  /// suspended for that reason. **Cancelled** nothing was taken from the buffer, and none of it is
  /// written.
  ///
  /// The copies stay in memory until the other side accepts them: a caller that writes without a
  /// bound to a peer that does not read runs out of memory.
  ///
  /// @param bound of the bytes pending from earlier calls; one call may exceed it; 0: one at a
  ///   time; [Long#MAX_VALUE]: never suspends
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also during the wait
  /// @throws IOException when an earlier background write failed
  /// @throws IllegalArgumentException for a bound below zero
  void writeLater(ByteBuffer buffer, long bound) throws IOException;

  /// Waits until all bytes given to [#writeLater(ByteBuffer)] are written.
  ///
  /// @throws IOException when a background write failed
  void flush() throws IOException;

  /// The failure of an earlier [#writeLater(ByteBuffer)], or null if none has failed. After the
  /// peer has closed its side, it shows whether all requests were sent.
  @Nullable IOException writeFailure();

  /// An input stream over this handle, for libraries; its calls suspend, and closing it closes the
  /// handle.
  InputStream inputStream();

  /// An output stream over this handle, for libraries; its calls suspend, and closing it closes the
  /// handle.
  OutputStream outputStream();

  /// A channel over this handle, for libraries; its calls suspend, and closing it closes the
  /// handle.
  ByteChannel channel();

  /// Whether the handle is open.
  boolean isOpen();

  /// Closes the handle; calls that wait on it fail with an
  /// [java.nio.channels.AsynchronousCloseException]. Closing twice does nothing. **Suspends**
  /// never.
  @Override
  void close();
}
