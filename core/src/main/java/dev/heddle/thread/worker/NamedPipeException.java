// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.reactor.linux.EpollSet;
import dev.heddle.reactor.linux.LinuxCalls;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/// A path leads to a named pipe. To open it may take for ever, and must not hold a thread that
/// other calls need.
public final class NamedPipeException extends FileSystemException {
  private static final long serialVersionUID = 1;

  private NamedPipeException(Path path) {
    super(path.toString(), null, "it is a named pipe; open it with Pipe.openNamed");
  }

  /// Throws the exception if the path leads to a named pipe that would be opened, as far as that
  /// can be determined here. **Thread** a worker.
  public static void throwFor(Path path, Set<? extends OpenOption> options)
      throws NamedPipeException {
    if (EpollSet.refusal() == null
        && !options.contains(StandardOpenOption.CREATE_NEW)
        && path.getFileSystem() == FileSystems.getDefault()
        && LinuxCalls.isFifo(path.toString(), !options.contains(LinkOption.NOFOLLOW_LINKS))) {
      throw new NamedPipeException(path);
    }
  }
}
