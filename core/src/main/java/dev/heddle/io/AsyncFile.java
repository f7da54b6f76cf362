// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A file: read and written one after the other from a position on, or anywhere.
///
/// What is read and written without saying where begins at the position and moves it, in the order
/// of the calls, as if each had the file to itself; a file opened to append is written at its end.
/// A call that was cancelled, or ran out of time, has read nothing and not moved the position; of a
/// write, what its buffer has given is written all the same, and if that fails the next write says
/// so.
///
/// The work is done beside the loop: by the driver, or by at most 32 threads of the loop. A read of
/// what the system has in its memory may be done at once, where the driver can. A buffer is its
/// caller's again when the call returns, however it returns.
///
/// {@snippet class=dev.heddle.snippets.FileSnippetsTest region=file}
///
/// @since 0.1
public interface AsyncFile extends AsyncIo {
  /// As it was opened.
  Path path();

  /// Reads at least one byte from `position` on; the position of the file stays. Many may do so at
  /// a time. **Suspends** until they are there, and to let others run at every 64th call that finds
  /// them there. **Cancelled** nothing was read.
  ///
  /// @param position in bytes from the beginning
  /// @return how many bytes, at most 256 KiB; -1: the file ends there; 0 only for a buffer without
  ///   room
  /// @throws java.nio.channels.NonReadableChannelException when it was not opened to be read
  int readAt(ByteBuffer buffer, long position) throws IOException;

  /// Reads from `position` on until `buffer` is full. **Cancelled** what was read so far is in the
  /// buffer. Else as [#readAt].
  ///
  /// @throws java.io.EOFException when the end comes first; what came before it is in the buffer
  void readFullyAt(ByteBuffer buffer, long position) throws IOException;

  /// Writes all of `buffer` from `position` on; the position of the file stays. Many may do so at a
  /// time. **Suspends** always. **Cancelled** what the buffer has given is written all the same.
  ///
  /// @param position in bytes from the beginning; behind the end, what lies between reads as zeros
  /// @throws UnsupportedOperationException when the file was opened to append
  /// @throws java.nio.channels.NonWritableChannelException when it was not opened to be written
  void writeAt(ByteBuffer buffer, long position) throws IOException;

  /// Where the next read or write begins, when those asked for before have ended; a file opened to
  /// append begins at its end. **Suspends** until then.
  long position() throws IOException;

  /// Sets where the next read or write begins, when those asked for before have ended. **Suspends**
  /// until then.
  ///
  /// @param position in bytes from the beginning; behind the end, reads find the end
  void position(long position) throws IOException;

  /// How long it is, in bytes, when the reads and writes asked for before have ended. **Suspends**
  /// always.
  long size() throws IOException;

  /// Cuts it to `size` bytes, when the reads and writes asked for before have ended; one that is
  /// not longer stays as it is. A position behind the new end becomes the end. **Suspends** always.
  /// **Cancelled** it is cut all the same, before what is asked next; if that fails, the next write
  /// says so.
  ///
  /// The system has no call that only shortens: the length is asked for, then set. A file that
  /// somebody else shortens in between, another process or another handle, is made `size` long
  /// again, with zeros.
  void truncate(long size) throws IOException;

  /// Waits until all that was written before is on the device, and what is known of the file, too
  /// (its length, when it was changed). **Suspends** always.
  ///
  /// @throws IOException when the device refuses, or an earlier write failed that nobody waited for
  void sync() throws IOException;

  /// Waits until all that was written before is on the device, and can be read back. Else as
  /// [#sync].
  void syncData() throws IOException;

  /// Locks all of it, for this handle alone. Else as [#lock(long, long, boolean)].
  default LockedRange lock() throws IOException {
    return lock(0, Long.MAX_VALUE, false);
  }

  /// Locks a part of it. **Suspends** until nobody else has a lock there: another process, or
  /// another handle of this one; a handle does not get a part twice. No thread waits meanwhile: it
  /// is asked for again and again, after pauses of up to 50 ms, in no fair order. **Cancelled**
  /// nothing is locked.
  ///
  /// Locks keep out who asks for locks, not who reads and writes. On most systems all of a
  /// process's locks of a file go when the process closes it once, by whichever handle.
  ///
  /// @param position where the part begins, in bytes
  /// @param size how long it is, in bytes; it may reach behind the end
  /// @param shared whether others may have shared locks there, too
  /// @throws java.nio.channels.NonReadableChannelException for a shared lock of a file that was not
  ///   opened to be read
  /// @throws java.nio.channels.NonWritableChannelException for another lock of a file that was not
  ///   opened to be written
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also during the wait
  LockedRange lock(long position, long size, boolean shared) throws IOException;

  /// Locks a part of it if nobody has a lock there. **Suspends** always, not for long. Else as
  /// [#lock(long, long, boolean)].
  ///
  /// @return null when somebody has one
  @Nullable LockedRange tryLock(long position, long size, boolean shared) throws IOException;

  /// Closes it; who waits on it gets an [java.nio.channels.AsynchronousCloseException]. The file is
  /// given back to the system when what was under way has ended. Closing twice does nothing.
  /// **Suspends** never.
  @Override
  void close();
}
