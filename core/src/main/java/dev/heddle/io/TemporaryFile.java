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

/// A file that is deleted when it is closed, and that its owner alone can read and write (`0600`).
///
/// One that nobody closes stays, also when the loop ends: open it in a `try`. **Thread** the loop
/// that opened it.
///
/// {@snippet class=dev.heddle.snippets.FileSnippetsTest region=temporary}
///
/// @see FileIo#createTemporaryFile
/// @since 0.1
public final class TemporaryFile implements AutoCloseable {
  /// How a file is opened that was made just now: by its name, where somebody who may write to the
  /// folder can have put a link meanwhile.
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

  /// The file, open to be read and written. To close it alone does not delete it.
  public AsyncFile file() {
    return file;
  }

  /// Where it is.
  public Path path() {
    return file.path();
  }

  /// Closes the file and deletes it; one that is not there any more is no failure. Closing twice
  /// does nothing. **Suspends** until it is deleted, also when **cancelled**.
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
