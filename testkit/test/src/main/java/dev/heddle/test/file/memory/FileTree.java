// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file.memory;

import dev.heddle.test.file.memory.Disk.Entry;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The names on a disk, with the JDK's errors.
///
/// **Thread** that of the loop whose turn it is, and its workers.
final class FileTree {
  private final Disk disk;

  FileTree(Disk disk) {
    this.disk = disk;
  }

  Disk disk() {
    return disk;
  }

  /// What a path leads to; null: nothing.
  @Nullable Node find(SimulatedPath path) {
    Node at = disk.root();
    for (String name : path.resolvedNames()) {
      at = at instanceof DirectoryNode directory ? directory.names().get(name) : null;
      if (at == null) {
        return null;
      }
    }
    return at;
  }

  Node require(SimulatedPath path) throws NoSuchFileException {
    Node found = find(path);
    if (found == null) {
      throw new NoSuchFileException(path.toString());
    }
    return found;
  }

  /// A directory and a name in it.
  record Place(DirectoryNode directory, String name) {
    @Nullable Node node() {
      return directory.names().get(name);
    }
  }

  /// Where a path ends.
  Place place(SimulatedPath path) throws IOException {
    List<String> names = path.resolvedNames();
    if (names.isEmpty()) {
      throw new FileSystemException(path.toString(), null, "Is a directory");
    }
    Path parent = path.toAbsolutePath().normalize().getParent();
    Node directory = parent == null ? disk.root() : find(SimulatedPath.of(parent));
    if (directory == null) {
      throw new NoSuchFileException(path.toString());
    }
    if (directory instanceof DirectoryNode own) {
      return new Place(own, names.getLast());
    }
    throw new FileSystemException(path.toString(), null, "Not a directory");
  }

  void createDirectory(SimulatedPath path) throws IOException {
    if (path.resolvedNames().isEmpty()) {
      throw new FileAlreadyExistsException(path.toString());
    }
    Place place = place(path);
    if (place.node() != null) {
      throw new FileAlreadyExistsException(path.toString());
    }
    disk.change(new Entry(place.directory(), place.name(), new DirectoryNode()));
  }

  void delete(SimulatedPath path) throws IOException {
    Place place = place(path);
    Node found = place.node();
    if (found == null) {
      throw new NoSuchFileException(path.toString());
    }
    requireEmpty(path, found);
    disk.change(new Entry(place.directory(), place.name(), null));
    found.deleted();
  }

  private static void requireEmpty(SimulatedPath path, Node node)
      throws DirectoryNotEmptyException {
    if (node instanceof DirectoryNode directory && !directory.names().isEmpty()) {
      throw new DirectoryNotEmptyException(path.toString());
    }
  }

  void move(SimulatedPath from, SimulatedPath to, Replacing replacing) throws IOException {
    Place source = place(from);
    Node moved = source.node();
    if (moved == null) {
      throw new NoSuchFileException(from.toString());
    }
    Place target = place(to);
    Node replaced = target.node();
    if (replaced == moved) {
      return;
    }
    if (replaced != null) {
      if (replacing == Replacing.NO) {
        throw new FileAlreadyExistsException(to.toString());
      }
      requireEmpty(to, replaced);
    }
    disk.change(
        new Entry(source.directory(), source.name(), null),
        new Entry(target.directory(), target.name(), moved));
    if (replaced != null) {
      replaced.deleted();
    }
  }

  /// Whether a move replaces what is there.
  enum Replacing {
    NO,
    YES
  }

  List<String> list(SimulatedPath path) throws IOException {
    if (require(path) instanceof DirectoryNode directory) {
      return List.copyOf(directory.names().keySet());
    }
    throw new NotDirectoryException(path.toString());
  }
}
