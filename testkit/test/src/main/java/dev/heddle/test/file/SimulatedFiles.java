// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file;

import java.nio.file.FileSystem;
import java.nio.file.Path;

/// The files of a host in a simulation, in memory. Not for implementation: it grows.
///
/// Its paths are those of [#path], which Heddle's files, `java.nio.file.Files` and file channels
/// take. Paths of the machine's own file system stay what they are.
///
/// A crash leaves what is durable: the content of a file when it was last synced, the names in a
/// directory when a directory was last synced. With a probability of [FileFaults#survival], it also
/// leaves parts of what came later, in any combination for content, and in order for names.
///
/// {@snippet class=dev.heddle.test.file.FileSnippetsTest region=crash}
///
/// **Suspends** never. **Thread** a coroutine of the simulation.
///
/// @since 0.1
public interface SimulatedFiles {
  /// A path in it; there is a directory `/tmp` at the beginning.
  Path path(String path);

  /// It, as the JDK sees it.
  FileSystem fileSystem();

  /// Changes what goes wrong, from now on.
  void setFaults(FileFaults changed);

  /// Limits the room that is left; at first there is no limit. Where it ends, writes fail with `No
  /// space left on device`.
  ///
  /// @param bytes 0 or more
  /// @throws IllegalArgumentException when it is negative
  void setFree(long bytes);

  /// The room that is left, in bytes; `Long.MAX_VALUE`: without a limit.
  long free();

  /// Loses what is not durable, as in a crash of the host, and closes what is open. The program
  /// goes on.
  void crash();
}
