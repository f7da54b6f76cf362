// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import java.io.FileDescriptor;

/// Opens handles of the process's standard streams.
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

  /// Standard error.
  public static BlockingHandle error() {
    return BlockingHandle.of("stderr", "standard error", new StandardOutput(FileDescriptor.err));
  }
}
