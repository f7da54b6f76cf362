// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.reactor.raw.RawCalls;
import dev.heddle.reactor.raw.RawDescriptors;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/// A path leads to a named pipe: to open it may take for ever, which must not hold a thread that
/// others need.
public final class NamedPipeException extends FileSystemException {
  private static final long serialVersionUID = 1;

  private NamedPipeException(Path path) {
    super(path.toString(), null, "it is a named pipe; open it with Pipe.openNamed");
  }

  /// Throws one, if that can be told here, and an end of the pipe would be opened. **Thread** one
  /// beside the loop.
  ///
  /// @param options what it is to be opened for
  public static void throwFor(Path path, Set<? extends OpenOption> options)
      throws NamedPipeException {
    if (RawDescriptors.refusal() == null
        && !options.contains(StandardOpenOption.CREATE_NEW)
        && path.getFileSystem() == FileSystems.getDefault()
        && RawCalls.isFifo(path.toString(), !options.contains(LinkOption.NOFOLLOW_LINKS))) {
      throw new NamedPipeException(path);
    }
  }
}
