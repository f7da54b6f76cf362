// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A directory that only its owner can enter (`0700`) and that is deleted with its contents when
/// closed.
///
/// A directory that is not closed stays, also when the loop ends: create it in a `try`. **Thread**
/// the loop that created it.
///
/// {@snippet class=dev.heddle.snippets.FileSnippetsTest region=temporary}
///
/// @see FileIo#createTemporaryDirectory
/// @since 0.1
public final class TemporaryDirectory implements AutoCloseable {
  private final Scheduler scheduler = CoroutineNode.current().scheduler();
  private final Path path;

  // loop only
  private boolean open = true;

  private TemporaryDirectory(Path path) {
    this.path = path;
  }

  static TemporaryDirectory create(Path folder) throws IOException {
    Objects.requireNonNull(folder, "folder");
    return new TemporaryDirectory(
        PathCalls.create(
            "a temporary directory in ",
            folder,
            () -> Files.createTempDirectory(folder, "heddle-"),
            Files::deleteIfExists));
  }

  /// The path of the directory.
  public Path path() {
    return path;
  }

  /// Deletes the directory with its contents; links are deleted, not followed. A missing entry is
  /// not a failure. Closing twice does nothing. **Suspends** until it is deleted, also when
  /// **cancelled**.
  ///
  /// @throws IOException when an entry cannot be deleted; the rest stays, too
  @Override
  public void close() throws IOException {
    if (open) {
      scheduler.checkOnLoop();
      open = false;
      PathCalls.callUncancellably(
          "the deletion of ", path, () -> Files.walkFileTree(path, new Deletion()));
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
      if (e instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw e;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e)
        throws IOException {
      if (e != null) {
        throw e;
      }
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }

  @Override
  public String toString() {
    return "the temporary directory " + path;
  }
}
