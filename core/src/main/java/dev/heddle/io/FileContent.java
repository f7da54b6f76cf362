// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.IOException;

/// Writes what a file is to have from now on, for [FileIo#replace].
///
/// Runs in the coroutine that has called, and may suspend.
///
/// {@snippet class=dev.heddle.snippets.FileSnippetsTest region=replace}
///
/// @since 0.1
@FunctionalInterface
public interface FileContent {
  /// Writes the new content.
  ///
  /// @param file empty, opened to be written and read; it need not be flushed, synced or closed.
  ///   Its path is that of a temporary file
  /// @throws IOException any; then the old content stays
  void writeTo(AsyncFile file) throws IOException;
}
