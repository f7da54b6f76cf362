// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.nio.ByteBuffer;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;

/// Completion-based file I/O: an operation is submitted and completes when it has ended, even if
/// its caller no longer waits.
///
/// Closing a file is an operation, too, submitted when no other is in flight; files still open at
/// the loop's end are closed with it.
///
/// **Thread** the carrier, or a coroutine mounted on it, never inside a poll; takes no lock that a
/// poll also takes.
public interface FileDriver {
  /// The result of [#tryRead] when the read would block.
  int WOULD_BLOCK = -1;

  /// Whether it can open this file with these options; otherwise a worker thread opens it.
  boolean canOpen(Path path, Set<? extends OpenOption> options);

  /// Reads cached bytes without blocking and without an operation.
  ///
  /// @param into a direct buffer with room, whose position moves
  /// @return the number of bytes; 0 at the end of the file; [#WOULD_BLOCK]: an operation is needed
  default int tryRead(OpenFile file, ByteBuffer into, long position) {
    return WOULD_BLOCK;
  }

  /// Submits `operation`. It completes in a later poll.
  void submit(FileOperation operation);

  /// Whether the loop should poll now, so that a device starts the submitted operations while other
  /// coroutines run.
  default boolean isPollDue() {
    return false;
  }

  /// Requests that `operation`, whose caller has left, end soon. It still completes, with a failure
  /// or normally.
  void cancel(FileOperation operation);
}
