// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A terminal: somebody who types and reads.
///
/// Its modes are those of the program `stty`, which is called for each change; what was changed is
/// put back when the handle is closed, when its loop ends, and when the JVM ends, be it by SIGTERM.
/// Only a killed JVM (SIGKILL) leaves it as it is; `stty sane` then mends it.
///
/// {@snippet class=dev.heddle.snippets.PipeSnippetsTest region=terminal}
///
/// @since 0.1
public interface Terminal extends AsyncIo {
  /// How much it shows.
  ///
  /// @param columns characters in a line; 0: it does not say
  /// @param rows lines; 0: it does not say
  record Size(int columns, int rows) {}

  /// How much it shows now. **Suspends** always.
  ///
  /// @throws IOException when it is gone, or there is no `stty`
  Size size() throws IOException;

  /// Each key comes at once and is not shown, none is a signal. **Suspends** always. **Cancelled**
  /// it may have been done.
  ///
  /// @throws IOException when it is gone, or there is no `stty`
  void raw() throws IOException;

  /// Puts it back to how it was when it was opened. **Suspends** always. **Cancelled** it is done
  /// all the same.
  ///
  /// @throws IOException when it is gone, or there is no `stty`
  void restore() throws IOException;

  /// Asks for a line that is not shown as it is typed. Its modes are those it had when it was
  /// opened afterwards. **Cancelled** what was typed is there for the next read.
  ///
  /// @return null when no more will come
  /// @throws IOException when it is gone, or there is no `stty`
  @Nullable String readPassword(String prompt) throws IOException;
}
