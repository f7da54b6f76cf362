// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.handle.FileHandle;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Replaces the content of a file atomically: a program that opens it finds the old content or the
/// new one.
///
/// **Thread** [#replace] runs on the loop; the rest on its worker threads.
final class AtomicReplacement {
  /*
   * States.
   *   from      event                                    to         what is there
   *   -         begin()                                  WRITING    an empty temporary file beside
   *                                                                 the old one
   *   WRITING   content and attributes are written,      COMPLETE   two files; a crash leaves the
   *             sync() has returned                                 temporary one behind
   *   COMPLETE  commit(): rename, sync of the directory  REPLACED   the new one, under the old name
   *   WRITING,  a failure, a cancellation                ABANDONED  the old one
   *   COMPLETE
   *
   * The order is what makes it safe: a file that is renamed before its bytes are on the device may
   * be an empty file under the old name after a loss of power. The directory comes last: without
   * that the old name may come back, with the old content.
   *
   * A cancelled caller still waits for begin, commit and the deletion: each changes the file
   * system, and takes one or two system calls. A cancellation is delivered in between, while the
   * content is written and synced.
   *
   * The temporary file is in the same directory, because a rename cannot cross file systems. Until
   * its attributes are set, only its owner can read it, unless there is no old file whose content
   * must be protected.
   *
   * I1. A call that throws before commit() leaves the old content, and no other file.
   *     [FileReplaceTest]
   * I2. At each moment the name leads to a complete content. [FileReplaceTest]
   *
   * Rejected. O_TMPFILE and linkat: link() does not replace. A write in place with a backup copy: a
   * crash leaves a torn file.
   *
   * Sources. rename(2), fsync(2); LWN 457667 (Ensuring data reaches disk); Go's renameio.
   */
  private static final int MAX_LINKS = 40; // Linux's limit
  private static final Set<PosixFilePermission> ALL_MAY =
      PosixFilePermissions.fromString("rw-rw-rw-"); // minus the process's umask
  private static final boolean HAS_DIRECTORY_SYNC =
      !System.getProperty("os.name").startsWith("Windows");

  private final Path target;
  private final Path folder;
  private final Path temporary;
  private final @Nullable PosixFileAttributes old; // null: no old file, or no POSIX attributes

  private AtomicReplacement(
      Path target, Path folder, Path temporary, @Nullable PosixFileAttributes old) {
    this.target = target;
    this.folder = folder;
    this.temporary = temporary;
    this.old = old;
  }

  static void replace(Path path, FileContent content) throws IOException {
    Objects.requireNonNull(content, "content");
    String doing = "the replacement of ";
    AtomicReplacement atomicReplacement =
        PathCalls.create(doing, path, () -> begin(path), AtomicReplacement::abandon);
    boolean replaced = false;
    try {
      atomicReplacement.write(content);
      PathCalls.callUncancellably(doing, path, atomicReplacement::commit);
      replaced = true;
    } finally {
      if (!replaced) {
        PathCalls.undo(path, atomicReplacement, AtomicReplacement::abandon);
      }
    }
  }

  private void write(FileContent content) throws IOException {
    CoroutineNode<?> self = CoroutineNode.current();
    try (AsyncFile file = FileHandle.open(self, temporary, TemporaryFile.AS_MADE)) {
      content.writeTo(file);
      file.flush();
      PathCalls.call("the attributes of ", temporary, this::keepAttributes);
      file.sync();
    }
  }

  // ---- on worker threads ----

  private static AtomicReplacement begin(Path path) throws IOException {
    Path target = followed(path);
    BasicFileAttributes old = attributes(target);
    if (old != null && !old.isRegularFile()) {
      throw new FileSystemException(
          target.toString(), null, "is not a regular file: only regular files can be replaced");
    }
    Path folder =
        Objects.requireNonNull(target.toAbsolutePath().getParent(), "a root is a directory");
    Path temporary = Files.createTempFile(folder, ".heddle-", ".tmp", permissions(target, old));
    return new AtomicReplacement(
        target, folder, temporary, old instanceof PosixFileAttributes posix ? posix : null);
  }

  /// A symbolic link stays; its target is replaced.
  private static Path followed(Path path) throws IOException {
    Path at = path;
    for (int i = 0; Files.isSymbolicLink(at); i++) {
      if (i == MAX_LINKS) {
        throw new FileSystemLoopException(path.toString());
      }
      at = at.resolveSibling(Files.readSymbolicLink(at));
    }
    return at;
  }

  private static @Nullable BasicFileAttributes attributes(Path target) throws IOException {
    try {
      return isPosix(target)
          ? Files.readAttributes(target, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          : Files.readAttributes(target, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException _) {
      return null;
    }
  }

  /// By default, only the owner can read a temporary file of the JDK.
  private static FileAttribute<?>[] permissions(Path target, @Nullable Object old) {
    return old == null && isPosix(target)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(ALL_MAY)}
        : new FileAttribute<?>[0];
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  /// @return nothing
  private Path keepAttributes() throws IOException {
    PosixFileAttributes before = old;
    if (before == null) {
      return temporary;
    }
    PosixFileAttributeView view =
        Files.getFileAttributeView(
            temporary, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    PosixFileAttributes now = view.readAttributes();
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    permissions.addAll(before.permissions());
    if (!now.group().equals(before.group())) {
      try {
        view.setGroup(before.group());
      } catch (IOException _) {
        // safe: the group differs, so it gets no more permissions than others
        narrow(permissions);
      }
    }
    if (!now.owner().equals(before.owner())) {
      try {
        view.setOwner(before.owner());
      } catch (IOException _) {
        // safe: only root may change the owner; the writer then stays the owner
      }
    }
    view.setPermissions(permissions);
    return temporary;
  }

  static void narrow(Set<PosixFilePermission> permissions) {
    if (!permissions.contains(PosixFilePermission.OTHERS_READ)) {
      permissions.remove(PosixFilePermission.GROUP_READ);
    }
    if (!permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
      permissions.remove(PosixFilePermission.GROUP_WRITE);
    }
    if (!permissions.contains(PosixFilePermission.OTHERS_EXECUTE)) {
      permissions.remove(PosixFilePermission.GROUP_EXECUTE);
    }
  }

  private Path commit() throws IOException {
    Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    if (HAS_DIRECTORY_SYNC) {
      PathCalls.syncDirectory(folder);
    }
    return target;
  }

  private void abandon() throws IOException {
    Files.deleteIfExists(temporary);
  }
}
