// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.io.handle.StandardHandles;

/// What the process was started with: standard input, output and error output; terminals, pipes,
/// files or nothing.
///
/// Each call makes a handle for the current loop; its calls are made on threads of its own, so the
/// loop is not held by somebody who does not type, or does not read. Closing a handle closes
/// nothing of the process's. `System.in` has a buffer of its own: read from one of the two.
///
/// {@snippet class=dev.heddle.snippets.PipeSnippetsTest region=stdio}
///
/// @since 0.1
public final class Stdio {
  private Stdio() {}

  /// Standard input. What a handle has read ahead, and nobody took, the next one finds when the
  /// first is closed, or its loop has ended. **Suspends** never.
  public static AsyncIo in() {
    return StandardHandles.input();
  }

  /// Standard output; what is written by `System.out` keeps no order with it. **Suspends** never.
  public static AsyncIo out() {
    return StandardHandles.output();
  }

  /// Standard error output. **Suspends** never.
  public static AsyncIo err() {
    return StandardHandles.error();
  }
}
