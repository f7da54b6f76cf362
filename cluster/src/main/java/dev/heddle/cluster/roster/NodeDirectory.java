// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The directory of a node: what of it outlives its lives. One process has it at a time.
///
/// **Thread** any.
public final class NodeDirectory implements AutoCloseable {
  /*
   * `lock` is locked as long as a life of the node runs; the operating system gives the lock back
   * when the process ends in whatever way. It holds a line that says who has locked it. `node`
   * holds the name of the node, the random id of the directory, and how many lives have started
   * here. The last number is on the disk before the life begins, so no two lives have the same one.
   */

  private static final String LOCK = "lock";
  private static final String NODE = "node";
  private static final String FORMAT = "1";

  /// Windows opens no directory, and writes a name with its file.
  private static final boolean HAS_DIRECTORY_SYNC =
      !System.getProperty("os.name").startsWith("Windows");

  /// The directories that this process has locked, and for whom. A lock of Linux ends when the
  /// process closes any channel of its file: so no second one is opened.
  private static final Map<Path, String> OPEN = new ConcurrentHashMap<>();

  private final Path path;
  private final Path real;
  private final String node;
  private final FileChannel lock;
  private final StorageProof proof;

  private NodeDirectory(Path path, Path real, String node, FileChannel lock, StorageProof proof) {
    this.path = path;
    this.real = real;
    this.node = node;
    this.lock = lock;
    this.proof = proof;
  }

  /// Locks a directory for a life of a node. It is made when it is not there.
  ///
  /// @throws IOException when another process has locked it, when it is the directory of another
  ///   node, or when it cannot be read or written; the message says which
  public static NodeDirectory open(Path path, String node) throws IOException {
    create(path, NodeDirectory::force);
    Path real = path.toRealPath();
    String owner = OPEN.putIfAbsent(real, owner(node));
    if (owner != null) {
      throw locked(path, node, owner);
    }
    try {
      return openAlone(path, real, node);
    } catch (IOException | RuntimeException e) {
      OPEN.remove(real);
      throw e;
    }
  }

  private static NodeDirectory openAlone(Path path, Path real, String node) throws IOException {
    FileChannel lock =
        FileChannel.open(
            path.resolve(LOCK),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    try {
      lock(path, node, lock);
      return new NodeDirectory(path, real, node, lock, begin(path, node));
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private static void lock(Path path, String node, FileChannel lock) throws IOException {
    if (lock.tryLock() == null) {
      throw locked(path, node, Files.readString(path.resolve(LOCK)).strip());
    }
    String line = owner(node) + System.lineSeparator();
    lock.truncate(0);
    lock.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
  }

  private static String owner(String node) {
    return "node '%s' in process %d".formatted(node, ProcessHandle.current().pid());
  }

  private static FileSystemException locked(Path path, String node, String owner) {
    return new FileSystemException(
        path.toString(),
        null,
        "node '%s' cannot use it: it is locked by %s".formatted(node, owner));
  }

  private static StorageProof begin(Path path, String node) throws IOException {
    Path file = path.resolve(NODE);
    StorageProof before = Files.exists(file) ? read(file, node) : null;
    StorageProof now = next(before);
    String text = "%s%n%s%n%016x%n%d%n".formatted(FORMAT, node, now.directory(), now.start());
    write(file, text.getBytes(StandardCharsets.UTF_8));
    return now;
  }

  private static StorageProof next(@Nullable StorageProof before) {
    return before == null
        ? new StorageProof(new SecureRandom().nextLong(), 1)
        : new StorageProof(before.directory(), before.start() + 1);
  }

  private static StorageProof read(Path file, String node) throws IOException {
    var lines = Files.readAllLines(file);
    if (lines.size() != 4 || !lines.getFirst().equals(FORMAT)) {
      throw new FileSystemException(
          file.toString(),
          null,
          "its format is '%s' with %d lines, this release has '%s' with 4"
              .formatted(lines.isEmpty() ? "" : lines.getFirst(), lines.size(), FORMAT));
    }
    if (!lines.get(1).equals(node)) {
      throw new FileSystemException(
          file.toString(),
          null,
          "the directory belongs to node '%s', node '%s' cannot use it"
              .formatted(lines.get(1), node));
    }
    try {
      return new StorageProof(
          Long.parseUnsignedLong(lines.get(2), 16), Long.parseLong(lines.get(3)));
    } catch (NumberFormatException e) {
      throw (IOException)
          new FileSystemException(file.toString(), null, "it holds no number: " + e.getMessage())
              .initCause(e);
    }
  }

  /// Writes a file whole or not at all; it is on the disk when this returns, with its name.
  ///
  /// @throws IOException when that fails: then the file has the old or the new content
  public static void write(Path file, byte[] content) throws IOException {
    write(file, content, NodeDirectory::force);
  }

  static void write(Path file, byte[] content, Force force) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.write(next, content);
    force.force(next);
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    force.force(parent(file)); // without that the old name may come back after a loss of power
  }

  private static Path parent(Path path) {
    return Objects.requireNonNull(path.toAbsolutePath().getParent(), "a root is not written");
  }

  /// Makes a directory, and those above it, so that it outlives a loss of power.
  static void create(Path path, Force force) throws IOException {
    List<Path> missing = new ArrayList<>();
    for (Path at = path.toAbsolutePath(); !Files.exists(at); at = parent(at)) {
      missing.add(at);
    }
    Files.createDirectories(path);
    for (Path each : missing) {
      force.force(parent(each));
    }
  }

  /// Has the content of a file, or the names in a directory, written to the disk.
  interface Force {
    void force(Path path) throws IOException;
  }

  private static void force(Path path) throws IOException {
    boolean isDirectory = Files.isDirectory(path);
    if (isDirectory && !HAS_DIRECTORY_SYNC) {
      return;
    }
    StandardOpenOption how = isDirectory ? StandardOpenOption.READ : StandardOpenOption.WRITE;
    try (FileChannel channel = FileChannel.open(path, how)) {
      channel.force(true);
    }
  }

  /// Where it is.
  public Path path() {
    return path;
  }

  /// The name of the node that it belongs to.
  public String node() {
    return node;
  }

  /// That all earlier lives of this directory have ended.
  public StorageProof proof() {
    return proof;
  }

  /// Unlocks it.
  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException _) {
      // safe: nothing is left to write, and the lock ends with the process at the latest
    }
    OPEN.remove(real);
  }
}
