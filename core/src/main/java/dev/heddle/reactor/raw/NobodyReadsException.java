// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.raw;

import java.nio.file.FileSystemException;

/// The system has refused to open a path because nobody has its other end open (`ENXIO`): it may be
/// a named pipe, and may be opened when somebody reads from it. Its words for that are in any
/// language.
public final class NobodyReadsException extends FileSystemException {
  private static final long serialVersionUID = 1;

  /// @param reason in the words of the system
  public NobodyReadsException(String path, String reason) {
    super(path, null, reason);
  }
}
