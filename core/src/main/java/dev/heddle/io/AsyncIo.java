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

/// Something open to read from, to write to, or both: a connection, a datagram socket, a pipe, a
/// file, a terminal.
///
/// Reads are served in the order of their calls, writes too; one read and one write may be under
/// way at the same time. Calls that take no [Deadline] are bounded by
/// [dev.heddle.Heddle#withTimeout(java.time.Duration, dev.heddle.Body)]. **Thread** the loop that
/// opened it; it is closed with its loop at the latest.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=stream}
///
/// @since 0.1
public interface AsyncIo extends AutoCloseable {
  /// Reads at least one byte into `buffer`. **Suspends** until there is one. **Cancelled** no byte
  /// is lost: what was not returned is there for the next read.
  ///
  /// @return how many bytes, or -1 when no more will come; 0 only for a buffer without room
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  /// @throws java.nio.channels.NonReadableChannelException when it is only written to
  /// @throws IOException when it broke
  default int read(ByteBuffer buffer) throws IOException {
    return read(buffer, Deadline.never());
  }

  /// Reads at least one byte, but does not wait beyond a deadline. Else as [#read(ByteBuffer)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first; it can be read from
  ///   afterwards
  int read(ByteBuffer buffer, Deadline deadline) throws IOException;

  /// Reads at least one byte into a segment. Else as [#read(ByteBuffer)].
  ///
  /// @throws IllegalArgumentException for a segment on the heap that is no `byte[]`
  default int read(MemorySegment segment) throws IOException {
    return read(Segments.first(segment));
  }

  /// Reads until `buffer` is full. **Cancelled** what was read so far is in the buffer. Else as
  /// [#read(ByteBuffer)].
  ///
  /// @throws java.io.EOFException when the end comes first; what came before it is in the buffer
  void readFully(ByteBuffer buffer) throws IOException;

  /// Reads a line of at most 64 KiB. Else as [#readLineUpTo].
  ///
  /// @throws IOException when the line is longer; [#readLineUpTo] takes longer ones
  default @Nullable String readLine() throws IOException {
    return readLineUpTo(64 << 10);
  }

  /// Reads a line in UTF-8; a line feed ends it, with or without a carriage return, and is not part
  /// of it. The last line needs no end. What has come of a line is kept in memory until its end
  /// has: the limit says how much of that a peer can have. **Cancelled** no byte is lost. Else as
  /// [#read(ByteBuffer)].
  ///
  /// @param limit the most bytes that the line may have, without its end
  /// @return null when no more will come
  /// @throws IOException when the line is longer; the message names the limit. Nothing is lost:
  ///   another call with a larger limit finds the line whole, as does one that reads bytes
  /// @throws IllegalArgumentException for a limit that is not positive
  @Nullable String readLineUpTo(int limit) throws IOException;

  /// Writes to `target` all that comes, until the end; neither side is closed.
  ///
  /// @return how many bytes
  /// @throws IOException when either side broke
  long transferTo(AsyncIo target) throws IOException;

  /// Writes all of `buffer`. **Suspends** while the other side does not take it. **Cancelled** the
  /// buffer's position says how much has left.
  ///
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  /// @throws java.nio.channels.NonWritableChannelException when it is only read from
  /// @throws IOException when it broke, or an earlier [#writeLater(ByteBuffer)] failed
  default void write(ByteBuffer buffer) throws IOException {
    write(buffer, Deadline.never());
  }

  /// Writes all of `buffer`, but does not wait beyond a deadline. Else as [#write(ByteBuffer)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first; the buffer's position
  ///   says how much has left
  void write(ByteBuffer buffer, Deadline deadline) throws IOException;

  /// Writes all of several buffers, one after the other, with as few calls of the system as it
  /// allows. Else as [#write(ByteBuffer)].
  void writeAll(ByteBuffer... buffers) throws IOException;

  /// Writes all of a segment. Else as [#write(ByteBuffer)].
  ///
  /// @throws IllegalArgumentException for a segment on the heap that is no `byte[]`
  default void write(MemorySegment segment) throws IOException {
    if (Segments.isOne(segment)) {
      write(segment.asByteBuffer());
    } else {
      writeAll(Segments.pieces(segment));
    }
  }

  /// Writes a copy of `buffer` when the other side takes it; the caller does not wait unless more
  /// than 64 KiB wait to leave. Else as [#writeLater(ByteBuffer, long)].
  default void writeLater(ByteBuffer buffer) throws IOException {
    writeLater(buffer, 64 << 10); // where Netty's channels stop being writable, too
  }

  /// Writes a copy of `buffer` when the other side takes it. It leaves in the order of the calls,
  /// before writes that come later, and keeps the loop alive until then. **Suspends** when more
  /// than `bound` bytes wait to leave already, until all of these have left; and behind others who
  /// do. **Cancelled** nothing was taken from the buffer, and nothing of it is written.
  ///
  /// The copies are in memory until the other side takes them: who writes without a bound to a peer
  /// that does not read runs out of it.
  ///
  /// @param bound in bytes, of what was given to earlier calls and has not left; one call may go
  ///   beyond it; 0: one at a time; [Long#MAX_VALUE]: never suspends
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also during the wait
  /// @throws IOException when an earlier one failed
  /// @throws IllegalArgumentException for a bound below zero
  void writeLater(ByteBuffer buffer, long bound) throws IOException;

  /// Waits until all that was given to [#writeLater(ByteBuffer)] has left.
  ///
  /// @throws IOException when it could not
  void flush() throws IOException;

  /// Why something given to [#writeLater(ByteBuffer)] could not be written; null: nothing failed so
  /// far. Who reads the end of the other side can tell by it whether all it was asked has left.
  @Nullable IOException writeFailure();

  /// The same as an input stream, for libraries; its calls suspend, and closing it closes the
  /// handle.
  InputStream inputStream();

  /// The same as an output stream, for libraries; its calls suspend, and closing it closes the
  /// handle.
  OutputStream outputStream();

  /// The same as a channel, for libraries; its calls suspend, and closing it closes the handle.
  ByteChannel channel();

  /// Whether it can be used.
  boolean isOpen();

  /// Closes it; who waits on it gets an [java.nio.channels.AsynchronousCloseException]. Closing
  /// twice does nothing. **Suspends** never.
  @Override
  void close();
}
