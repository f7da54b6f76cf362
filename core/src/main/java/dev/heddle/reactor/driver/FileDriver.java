// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.nio.ByteBuffer;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;

/// Works with files, by completion: an operation is submitted with all it needs, and completes when
/// it has ended, whoever still waits for it.
///
/// A file is closed by an operation, too, when none other is under way; those still open when the
/// loop ends are closed with it.
///
/// **Thread** the carrier, or a coroutine mounted on it, never inside a tick; takes no lock that a
/// tick takes, too.
public interface FileDriver {
  /// What [#tryRead] returns when there is something to wait for.
  int WOULD_BLOCK = -1;

  /// Whether it can open this file with these options; else the loop's threads do.
  boolean canOpen(Path path, Set<? extends OpenOption> options);

  /// Reads what takes no wait: what the system has in its memory. No operation has to be under way
  /// for it, and none is after it.
  ///
  /// @param into a direct buffer with room, whose position moves
  /// @return how many bytes; 0: the file ends there; [#WOULD_BLOCK]: ask by an operation
  default int tryRead(OpenFile file, ByteBuffer into, long position) {
    return WOULD_BLOCK;
  }

  /// Begins `operation`. It completes in a later tick.
  void submit(FileOperation operation);

  /// Whether a device could begin with what was submitted while the other coroutines run: a turn is
  /// due.
  default boolean isPollDue() {
    return false;
  }

  /// Asks that `operation`, which nobody waits for any more, end soon. Its completion follows all
  /// the same, with a failure or as if nothing had been asked.
  void cancel(FileOperation operation);
}
