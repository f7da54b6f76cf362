// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.linux;

import java.nio.file.FileSystemException;

/// The system has refused to open a path with `ENXIO`: it may be a named pipe that no process has
/// open for reading, and can be opened when one has. The system's message may be in any language.
public final class NoReaderException extends FileSystemException {
  private static final long serialVersionUID = 1;

  /// @param reason the system's message
  public NoReaderException(String path, String reason) {
    super(path, null, reason);
  }
}
