// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// An open file, read and written sequentially at its position or anywhere. Calls suspend the
/// coroutine, never the thread.
///
/// Reads and writes without a position argument begin at the file's position and move it, in the
/// order of the calls, as if each had the file to itself; a file opened to append is written at its
/// end. A read that was cancelled or timed out has read nothing and not moved the position. A write
/// that was cancelled or timed out still writes the bytes already taken from its buffer; if that
/// fails, the next write throws the failure.
///
/// The work is done outside the loop's thread: by the driver, or by at most 32 worker threads of
/// the loop. Where the driver supports it, a read of cached data may be done at once. The caller
/// owns its buffer again when the call returns or throws.
///
/// {@snippet class=dev.heddle.snippets.FileSnippetsTest region=file}
///
/// @since 0.1
public interface AsyncFile extends AsyncIo {
  /// The path with which it was opened.
  Path path();

  /// Reads at least one byte from `position` on and leaves the file's position unchanged. Any
  /// number of calls may run at the same time. **Suspends** until the bytes are read; a call that
  /// finds them cached suspends only every 64th time, to let other coroutines run. **Cancelled**
  /// nothing was read.
  ///
  /// @param position in bytes from the beginning
  /// @return the number of bytes, at most 256 KiB; -1 at the end of the file; 0 only for a buffer
  ///   without room
  /// @throws java.nio.channels.NonReadableChannelException when the file was not opened for reading
  int readAt(ByteBuffer buffer, long position) throws IOException;

  /// Reads from `position` on until `buffer` is full. **Cancelled** what was read so far is in the
  /// buffer. Otherwise as [#readAt].
  ///
  /// @throws java.io.EOFException when the file ends first; the bytes before the end are in the
  ///   buffer
  void readFullyAt(ByteBuffer buffer, long position) throws IOException;

  /// Writes all of `buffer` from `position` on and leaves the file's position unchanged. Any number
  /// of calls may run at the same time. **Suspends** always. **Cancelled** the bytes already taken
  /// from the buffer are still written.
  ///
  /// @param position in bytes from the beginning; beyond the end, the gap reads as zeros
  /// @throws UnsupportedOperationException when the file was opened to append
  /// @throws java.nio.channels.NonWritableChannelException when the file was not opened for writing
  void writeAt(ByteBuffer buffer, long position) throws IOException;

  /// The position at which the next read or write begins, once the earlier ones have ended; of a
  /// file opened to append, its end. **Suspends** until then.
  long position() throws IOException;

  /// Sets the position of the next read or write, once the earlier ones have ended. **Suspends**
  /// until then.
  ///
  /// @param position in bytes from the beginning; beyond the end, reads return -1
  void position(long position) throws IOException;

  /// The length in bytes, once the earlier reads and writes have ended. **Suspends** always.
  long size() throws IOException;

  /// Truncates the file to `size` bytes, once the earlier reads and writes have ended; a file that
  /// is not longer stays as it is. A position beyond the new end moves to the end. **Suspends**
  /// always. **Cancelled** it is still truncated, before the next request; if that fails, the next
  /// write throws the failure.
  ///
  /// No system call only shortens a file: the length is read, then set. If another process or
  /// handle shortens the file in between, it is extended to `size` with zeros.
  void truncate(long size) throws IOException;

  /// Waits until all earlier writes and the file's metadata (length, modification time) are on the
  /// device. **Suspends** always.
  ///
  /// @throws IOException when the device fails, or an earlier write failed after its caller had
  ///   left
  void sync() throws IOException;

  /// Waits until all earlier writes are on the device and can be read back; other metadata may not
  /// be. Otherwise as [#sync].
  void syncData() throws IOException;

  /// Locks the whole file exclusively. Otherwise as [#lock(long, long)].
  default LockedRange lock() throws IOException {
    return lock(0, Long.MAX_VALUE);
  }

  /// Locks a range of the file exclusively. **Suspends** while another process, another handle or
  /// this handle holds a conflicting lock. No thread waits meanwhile: the lock is requested
  /// repeatedly, after pauses of up to 50 ms, in no fair order. **Cancelled** nothing is locked.
  ///
  /// Locks are advisory: they exclude other locks, not reads and writes. On most systems, closing
  /// any handle of a file releases all locks that the process has on it.
  ///
  /// @param position start of the range, in bytes
  /// @param size length of the range, in bytes; it may reach beyond the end of the file
  /// @throws java.nio.channels.NonWritableChannelException when the file was not opened for writing
  /// @throws java.nio.channels.ClosedChannelException when the file is closed, also during the wait
  LockedRange lock(long position, long size) throws IOException;

  /// Locks a range of the file such that others may hold shared locks on it, too. Otherwise as
  /// [#lock(long, long)].
  ///
  /// @throws java.nio.channels.NonReadableChannelException when the file was not opened for reading
  LockedRange lockShared(long position, long size) throws IOException;

  /// Locks a range of the file exclusively if no conflicting lock exists. **Suspends** always,
  /// briefly. Otherwise as [#lock(long, long)].
  ///
  /// @return null when a conflicting lock exists
  @Nullable LockedRange tryLock(long position, long size) throws IOException;

  /// Locks a range of the file as [#lockShared] does if no conflicting lock exists. **Suspends**
  /// always, briefly.
  ///
  /// @return null when a conflicting lock exists
  @Nullable LockedRange tryLockShared(long position, long size) throws IOException;

  /// Closes the file; calls that wait on it fail with an
  /// [java.nio.channels.AsynchronousCloseException]. Its file descriptor is closed when the
  /// requests in flight have ended. Closing twice does nothing. **Suspends** never.
  @Override
  void close();
}
