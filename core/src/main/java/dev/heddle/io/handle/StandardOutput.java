// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.thread.worker.BlockingFile;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/// Standard output or standard error of the process; never closed.
///
/// **Thread** any but the carrier.
public final class StandardOutput implements BlockingFile {
  private final FileOutputStream out;

  private StandardOutput(FileDescriptor descriptor) {
    this.out = new FileOutputStream(descriptor);
  }

  /// Opens a handle of standard output on the current loop.
  public static BlockingHandle open() {
    return BlockingHandle.of("stdout", "standard output", new StandardOutput(FileDescriptor.out));
  }

  /// Opens a handle of standard error on the current loop.
  public static BlockingHandle openError() {
    return BlockingHandle.of("stderr", "standard error", new StandardOutput(FileDescriptor.err));
  }

  @Override
  public FileChannel channel(boolean writing) {
    throw new UnsupportedOperationException("standard output is not a file");
  }

  @Override
  public long perform(FileOperation operation) throws IOException {
    switch (operation.kind()) {
      case WRITE -> {
        // no channel: an interrupt at the end of the loop would close the process's output
        ByteBuffer from = operation.buffer();
        byte[] bytes = new byte[from.remaining()];
        from.get(from.position(), bytes);
        out.write(bytes);
        return bytes.length;
      }
      case CLOSE -> {}
      default -> throw new IllegalStateException("standard output does not support " + operation);
    }
    return 0;
  }
}
