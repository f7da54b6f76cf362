// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

/// A locked range of a file. The lock is advisory: it excludes locks of other processes and of
/// other handles of this process. Released by [#close()], by closing the file, and at the end of
/// the loop.
///
/// {@snippet class=dev.heddle.snippets.FileSnippetsTest region=lock}
///
/// @since 0.1
public interface LockedRange extends AutoCloseable {
  /// Start of the range, in bytes.
  long position();

  /// Length of the range, in bytes; it may reach beyond the end of the file.
  long size();

  /// Whether others may also hold shared locks.
  boolean isShared();

  /// Whether the lock has not been released.
  boolean isHeld();

  /// Releases the lock; releasing twice does nothing. **Suspends** until it is released.
  /// **Cancelled** it is still released.
  @Override
  void close();
}
