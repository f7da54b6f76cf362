// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.io.handle.InputHandle;
import dev.heddle.io.handle.StandardOutput;

/// Standard input, output and error of this process: terminals, pipes, files or nothing.
///
/// Each call creates a handle for the current loop. The handle works on its own threads, so a
/// terminal or pipe that does not respond never blocks the loop. Closing a handle does not close
/// the process's stream. `System.in` has its own buffer: read from only one of the two.
///
/// {@snippet class=dev.heddle.snippets.PipeSnippetsTest region=stdio}
///
/// @since 0.1
public final class Stdio {
  private Stdio() {}

  /// Standard input. When a handle is closed or its loop ends, the next handle gets the bytes that
  /// it had read ahead. **Suspends** never.
  public static AsyncIo in() {
    return InputHandle.open();
  }

  /// Standard output; not ordered with writes to `System.out`. **Suspends** never.
  public static AsyncIo out() {
    return StandardOutput.open();
  }

  /// Standard error. **Suspends** never.
  public static AsyncIo err() {
    return StandardOutput.openError();
  }
}
