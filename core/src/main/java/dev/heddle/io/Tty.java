// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.io.handle.TerminalHandle;
import java.io.IOException;

/// Opens the controlling terminal of the program, independent of where standard input and output
/// go.
///
/// {@snippet class=dev.heddle.snippets.PipeSnippetsTest region=terminal}
///
/// @since 0.1
public final class Tty {
  private Tty() {}

  /// Opens the controlling terminal. **Suspends** always.
  ///
  /// @throws IOException when there is none, or its modes cannot be read; the message says why
  public static Terminal open() throws IOException {
    return TerminalHandle.open();
  }
}
