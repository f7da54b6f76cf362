// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.IOException;

/// Writes the new content of a file, for [FileIo#replace].
///
/// Runs in the calling coroutine and may suspend.
///
/// {@snippet class=dev.heddle.snippets.FileSnippetsTest region=replace}
///
/// @since 0.1
@FunctionalInterface
public interface FileContent {
  /// Writes the new content.
  ///
  /// @param file empty, open for writing and reading; it need not be flushed, synced or closed. Its
  ///   path is that of a temporary file
  /// @throws IOException any failure; the old content then stays
  void writeTo(AsyncFile file) throws IOException;
}
