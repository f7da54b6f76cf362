// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file.memory;

import dev.heddle.test.file.memory.FileTree.Replacing;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The calls of `java.nio.file.Files` on a simulated file system.
final class SimulatedFileProvider extends FileSystemProvider {
  private final FileSystem fileSystem;
  private final FileTree tree;

  SimulatedFileProvider(FileSystem fileSystem, FileTree tree) {
    this.fileSystem = fileSystem;
    this.tree = tree;
  }

  @Override
  public String getScheme() {
    return "simulated";
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> env) {
    throw new UnsupportedOperationException("a simulation makes its file systems itself");
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    return fileSystem;
  }

  @Override
  public Path getPath(URI uri) {
    return fileSystem.getPath(uri.getPath());
  }

  // ---- files ----

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return SimulatedChannel.open(tree, SimulatedPath.of(path), checked(options));
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return newFileChannel(path, options, attributes);
  }

  // as the JDK's channels
  private static Set<? extends OpenOption> checked(Set<? extends OpenOption> options) {
    if (options.contains(StandardOpenOption.APPEND)) {
      if (options.contains(StandardOpenOption.READ)) {
        throw new IllegalArgumentException("READ + APPEND not allowed");
      }
      if (options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
        throw new IllegalArgumentException("APPEND + TRUNCATE_EXISTING not allowed");
      }
    }
    for (OpenOption option : options) {
      if (!(option instanceof StandardOpenOption) && !(option instanceof LinkOption)) {
        throw new UnsupportedOperationException(option + " not supported");
      }
    }
    return options;
  }

  @Override
  public void delete(Path path) throws IOException {
    tree.delete(SimulatedPath.of(path));
  }

  @Override
  public void copy(Path from, Path to, CopyOption... options) throws IOException {
    boolean replaces = List.of(options).contains(StandardCopyOption.REPLACE_EXISTING);
    SimulatedPath target = SimulatedPath.of(to);
    if (tree.find(target) != null) {
      if (!replaces) {
        throw new FileAlreadyExistsException(to.toString());
      }
      tree.delete(target);
    }
    if (tree.require(SimulatedPath.of(from)) instanceof DirectoryNode) {
      tree.createDirectory(target);
      return;
    }
    try (FileChannel source = newFileChannel(from, Set.of(StandardOpenOption.READ));
        FileChannel sink =
            newFileChannel(to, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW))) {
      long size = source.size();
      for (long at = 0; at < size; ) {
        at += source.transferTo(at, size - at, sink);
      }
    }
  }

  @Override
  public void move(Path from, Path to, CopyOption... options) throws IOException {
    List<CopyOption> all = List.of(options);
    boolean replaces =
        all.contains(StandardCopyOption.REPLACE_EXISTING)
            || all.contains(StandardCopyOption.ATOMIC_MOVE);
    tree.move(
        SimulatedPath.of(from), SimulatedPath.of(to), replaces ? Replacing.YES : Replacing.NO);
  }

  // ---- directories ----

  @Override
  public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
    tree.createDirectory(SimulatedPath.of(directory));
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
    List<Path> all = new ArrayList<>();
    for (String name : tree.list(SimulatedPath.of(directory))) {
      Path path = directory.resolve(name);
      if (filter.accept(path)) {
        all.add(path);
      }
    }
    return new DirectoryStream<>() {
      @Override
      public Iterator<Path> iterator() {
        return all.iterator();
      }

      @Override
      public void close() {}
    };
  }

  // ---- attributes ----

  private record Attributes(Node node) implements BasicFileAttributes {
    private static final FileTime NEVER = FileTime.fromMillis(0);

    @Override
    public FileTime lastModifiedTime() {
      return NEVER;
    }

    @Override
    public FileTime lastAccessTime() {
      return NEVER;
    }

    @Override
    public FileTime creationTime() {
      return NEVER;
    }

    @Override
    public boolean isRegularFile() {
      return node instanceof FileNode;
    }

    @Override
    public boolean isDirectory() {
      return node instanceof DirectoryNode;
    }

    @Override
    public boolean isSymbolicLink() {
      return false;
    }

    @Override
    public boolean isOther() {
      return false;
    }

    @Override
    public long size() {
      return node instanceof FileNode file ? file.size() : 0;
    }

    @Override
    public Object fileKey() {
      return node;
    }
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    if (type != BasicFileAttributes.class) {
      throw new UnsupportedOperationException("a simulated file has basic attributes only");
    }
    return type.cast(new Attributes(tree.require(SimulatedPath.of(path))));
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) {
    throw new UnsupportedOperationException("attributes are read by their class, not by a name");
  }

  private final class View implements BasicFileAttributeView {
    private final Path path;

    View(Path path) {
      this.path = path;
    }

    @Override
    public String name() {
      return "basic";
    }

    @Override
    public BasicFileAttributes readAttributes() throws IOException {
      return SimulatedFileProvider.this.readAttributes(path, BasicFileAttributes.class);
    }

    @Override
    public void setTimes(
        @Nullable FileTime modified, @Nullable FileTime accessed, @Nullable FileTime created) {
      throw new UnsupportedOperationException("a simulated file has no times");
    }
  }

  @Override
  public <V extends FileAttributeView> @Nullable V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    return type == BasicFileAttributeView.class ? type.cast(new View(path)) : null;
  }

  @Override
  public void setAttribute(Path path, String attribute, Object value, LinkOption... options) {
    throw new UnsupportedOperationException("a simulated file has no attribute to set");
  }

  @Override
  public boolean isSameFile(Path one, Path other) throws IOException {
    return one.equals(other)
        || (other instanceof SimulatedPath own
            && tree.require(SimulatedPath.of(one)) == tree.require(own));
  }

  @Override
  public boolean isHidden(Path path) {
    Path name = path.getFileName();
    return name != null && name.toString().startsWith(".");
  }

  @Override
  public FileStore getFileStore(Path path) {
    throw new UnsupportedOperationException("a simulated file system has no stores");
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    tree.require(SimulatedPath.of(path));
  }
}
