// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file;

import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.test.file.Disk.Entry;
import dev.heddle.test.time.Timeline;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The files of a simulated host, in memory.
///
/// Its paths are those of [#path], which Heddle's files, `java.nio.file.Files` and file channels
/// take. Paths of the machine's own file system stay what they are.
///
/// A crash leaves what is durable: the content of a file when it was last synced, the names in a
/// directory when a directory was last synced. With a probability of [FileFaults#survival], it also
/// leaves parts of what came later, in any combination for content, and in order for names.
///
/// {@snippet class=dev.heddle.test.file.SimulatedFileSnippetsTest region=crash}
///
/// **Thread** that of the loop whose turn it is, or the one that builds the world, before it
/// begins.
public final class SimulatedFiles {
  private final FileChance chance;
  private final Disk disk;
  private final SimulatedFileSystem fileSystem;

  /// An empty file system, with the directory `/tmp`.
  ///
  /// @param host the name of the host, for messages
  /// @param seed of all chance in it
  public SimulatedFiles(String host, long seed) {
    this.chance = new FileChance(seed);
    this.disk = new Disk(chance);
    this.fileSystem = new SimulatedFileSystem(this, host);
    disk.change(new Entry(disk.root(), "tmp", new DirectoryNode()));
    disk.begin();
  }

  /// A path in it.
  public Path path(String path) {
    return fileSystem.getPath(path);
  }

  /// It, as the JDK sees it.
  public FileSystem fileSystem() {
    return fileSystem;
  }

  /// The driver of these files for one loop. For the simulated network, which builds the loop's.
  ///
  /// @param timeline on which operations take their time
  /// @param completions takes what is to run in the loop's next poll
  public FileDriver driver(Timeline timeline, Consumer<Runnable> completions) {
    return new SimulatedFileDriver(this, timeline, completions);
  }

  // ---- faults ----

  /// Changes what goes wrong, from now on.
  public void setFaults(FileFaults changed) {
    chance.setFaults(changed);
  }

  /// Limits the room that is left; at first there is no limit. Where it ends, writes fail with `No
  /// space left on device`.
  ///
  /// @throws IllegalArgumentException when it is negative
  public void setFree(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("room cannot be negative: " + bytes);
    }
    disk.setFree(bytes);
  }

  /// The room that is left, in bytes; `Long.MAX_VALUE`: without a limit.
  public long free() {
    return disk.free();
  }

  /// Cuts the power: what is not durable is gone, and nothing is open any more.
  public void crash() {
    disk.crash();
  }

  FileChance chance() {
    return chance;
  }

  Disk disk() {
    return disk;
  }

  // ---- names ----

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

  SimulatedChannel open(SimulatedPath path, Set<? extends OpenOption> options) throws IOException {
    if (find(path) instanceof DirectoryNode directory) {
      return openDirectory(path, directory, options);
    }
    boolean writes =
        options.contains(StandardOpenOption.WRITE) || options.contains(StandardOpenOption.APPEND);
    Place place = place(path);
    Node found = place.node();
    boolean creates = writes && options.contains(StandardOpenOption.CREATE);
    if (writes && options.contains(StandardOpenOption.CREATE_NEW)) {
      if (found != null) {
        throw new FileAlreadyExistsException(path.toString());
      }
      creates = true;
    }
    if (!(found instanceof FileNode file)) {
      if (!creates) {
        throw new NoSuchFileException(path.toString());
      }
      FileNode made = new FileNode(disk);
      disk.change(new Entry(place.directory(), place.name(), made));
      return new SimulatedChannel(this, path, made, options);
    }
    if (writes && options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
      file.truncate(0);
    }
    return new SimulatedChannel(this, path, file, options);
  }

  // to sync it, as on Linux
  private SimulatedChannel openDirectory(
      SimulatedPath path, DirectoryNode directory, Set<? extends OpenOption> options)
      throws IOException {
    if (options.contains(StandardOpenOption.CREATE_NEW)) {
      throw new FileAlreadyExistsException(path.toString());
    }
    if (options.contains(StandardOpenOption.WRITE) || options.contains(StandardOpenOption.APPEND)) {
      throw new FileSystemException(path.toString(), null, "Is a directory");
    }
    return new SimulatedChannel(this, path, directory, options);
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
