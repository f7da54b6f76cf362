// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import java.io.FileDescriptor;

/// Opens handles on what the process was started with, and on named pipes.
public final class StandardHandles {
  private StandardHandles() {}

  /// Standard input.
  public static BlockingHandle input() {
    return InputHandle.open();
  }

  /// Standard output.
  public static BlockingHandle output() {
    return BlockingHandle.of("stdout", "standard output", new StandardOutput(FileDescriptor.out));
  }

  /// Standard error output.
  public static BlockingHandle error() {
    return BlockingHandle.of(
        "stderr", "standard error output", new StandardOutput(FileDescriptor.err));
  }
}
