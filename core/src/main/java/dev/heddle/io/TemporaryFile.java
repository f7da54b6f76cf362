// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.handle.FileHandle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Set;

/// A file that only its owner can read and write (`0600`) and that is deleted when closed.
///
/// A file that is not closed stays, also when the loop ends: open it in a `try`. **Thread** the
/// loop that opened it.
///
/// {@snippet class=dev.heddle.snippets.FileSnippetsTest region=temporary}
///
/// @see FileIo#createTemporaryFile
/// @since 0.1
public final class TemporaryFile implements AutoCloseable {
  /// Options to open a file that was just created. It is opened by name, and another user with
  /// write access to the directory may have replaced it by a link.
  static final Set<OpenOption> AS_MADE =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

  private final AsyncFile file;

  // loop only
  private boolean open = true;

  private TemporaryFile(AsyncFile file) {
    this.file = file;
  }

  static TemporaryFile create(Path folder) throws IOException {
    Objects.requireNonNull(folder, "folder");
    Path path =
        PathCalls.create(
            "a temporary file in ",
            folder,
            () -> Files.createTempFile(folder, "heddle-", ".tmp"),
            Files::deleteIfExists);
    boolean opened = false;
    try {
      AsyncFile file = FileHandle.open(CoroutineNode.current(), path, AS_MADE);
      opened = true;
      return new TemporaryFile(file);
    } finally {
      if (!opened) {
        delete(path);
      }
    }
  }

  /// The file, open for reading and writing. Closing only this handle does not delete it.
  public AsyncFile file() {
    return file;
  }

  /// The path of the file.
  public Path path() {
    return file.path();
  }

  /// Closes and deletes the file; a missing file is not a failure. Closing twice does nothing.
  /// **Suspends** until it is deleted, also when **cancelled**.
  ///
  /// @throws IOException when it cannot be deleted
  @Override
  public void close() throws IOException {
    if (open) {
      file.close();
      open = false;
      delete(path());
    }
  }

  private static void delete(Path path) throws IOException {
    PathCalls.callUncancellably("the deletion of ", path, () -> Files.deleteIfExists(path));
  }

  @Override
  public String toString() {
    return "the temporary file " + path();
  }
}
