// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

/// A part of a file that is locked against other processes, and against other handles of this one,
/// if they ask for locks, too. Given back by [#close()], by the close of the file, and by the end
/// of the loop.
///
/// {@snippet class=dev.heddle.snippets.FileSnippetsTest region=lock}
///
/// @since 0.1
public interface LockedRange extends AutoCloseable {
  /// Where it begins, in bytes.
  long position();

  /// How long it is, in bytes; it may reach behind the end of the file.
  long size();

  /// Whether others may have a shared lock, too.
  boolean isShared();

  /// Whether it has not been given back.
  boolean isHeld();

  /// Gives it back; doing so twice does nothing. **Suspends** until it is done. **Cancelled** it is
  /// done all the same.
  @Override
  void close();
}
