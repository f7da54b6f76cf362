// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A terminal, with its modes and size.
///
/// Modes are changed by the program `stty`. They are restored when the handle is closed, when its
/// loop ends, and when the JVM ends, also by SIGTERM. Only a JVM that is killed by SIGKILL, or
/// halted (by a second signal, for example), leaves them changed; `stty sane` then restores them.
///
/// {@snippet class=dev.heddle.snippets.PipeSnippetsTest region=terminal}
///
/// @since 0.1
public interface Terminal extends AsyncIo {
  /// The size of a terminal.
  ///
  /// {@snippet class=dev.heddle.snippets.PipeSnippetsTest region=terminal}
  ///
  /// @param columns characters in a line; 0: unknown
  /// @param rows number of lines; 0: unknown
  record Size(int columns, int rows) {}

  /// The current size. **Suspends** always.
  ///
  /// @throws IOException when the terminal is gone, or there is no `stty`
  Size size() throws IOException;

  /// Sets raw mode: each key arrives at once, is not echoed, and raises no signal. **Suspends**
  /// always. **Cancelled** the mode may have been changed.
  ///
  /// @throws IOException when the terminal is gone, or there is no `stty`
  void raw() throws IOException;

  /// Restores the modes that the terminal had when it was opened. **Suspends** always.
  /// **Cancelled** they are still restored.
  ///
  /// @throws IOException when the terminal is gone, or there is no `stty`
  void restore() throws IOException;

  /// Reads a line without echo, then restores the modes that the terminal had when it was opened.
  /// **Cancelled** the next read gets what was typed.
  ///
  /// @return null at the end of the input
  /// @throws IOException when the terminal is gone, or there is no `stty`
  @Nullable String readPassword(String prompt) throws IOException;
}
