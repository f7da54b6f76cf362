// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.netty.unix.Failures;
import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.reactor.linux.NoReaderException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;

/// Converts system errors of file operations to the JDK's exception types and messages.
final class FileFailures {
  static final int EINTR = -4;
  static final int EAGAIN = -11;
  static final int ECANCELED = -125;

  private static final int ENOENT = -2;
  private static final int ENXIO = -6;
  private static final int EACCES = -13;
  private static final int EEXIST = -17;
  private static final int EINVAL = -22;
  private static final int ELOOP = -40;

  private FileFailures() {}

  /// The exception for a negative result.
  static IOException of(FileOperation operation, int result) {
    if (operation.kind() == FileOperation.Kind.OPEN) {
      return ofOpening(operation, operation.path().toString(), result);
    }
    if (result == EINVAL && operation.hasBuffer() && ((RingFile) operation.file()).isDirect()) {
      return new IOException(
          ("Invalid argument: %s bypasses the cache (DIRECT), so position and length must be"
                  + " multiples of the device's block size; they were %d and %d")
              .formatted(operation.file(), operation.position(), operation.buffer().remaining()));
    }
    return new IOException(Failures.words(result));
  }

  private static FileSystemException ofOpening(FileOperation operation, String path, int result) {
    return switch (result) {
      case ENOENT -> new NoSuchFileException(path);
      case ENXIO -> new NoReaderException(path, Failures.words(result));
      case EACCES -> new AccessDeniedException(path);
      case EEXIST -> new FileAlreadyExistsException(path);
      case ELOOP ->
          new FileSystemException(
              path,
              null,
              operation.options().contains(LinkOption.NOFOLLOW_LINKS)
                  ? Failures.words(result) + " (NOFOLLOW_LINKS specified)"
                  : Failures.words(result) + " or unable to access attributes of symbolic link");
      default -> new FileSystemException(path, null, Failures.words(result));
    };
  }
}
