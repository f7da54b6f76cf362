// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file.memory;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A path in a simulated file system, as those of UNIX are written.
final class SimulatedPath implements Path {
  private final FileSystem fileSystem;
  private final boolean absolute;
  private final List<String> names;

  private SimulatedPath(FileSystem fileSystem, boolean absolute, List<String> names) {
    this.fileSystem = fileSystem;
    this.absolute = absolute;
    this.names = List.copyOf(names);
  }

  static SimulatedPath parse(FileSystem fileSystem, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new InvalidPathException(text, "Nul character not allowed");
    }
    List<String> names = Arrays.stream(text.split("/")).filter(name -> !name.isEmpty()).toList();
    boolean empty = names.isEmpty() && !text.startsWith("/");
    return new SimulatedPath(fileSystem, text.startsWith("/"), empty ? List.of("") : names);
  }

  static SimulatedPath of(Path path) {
    if (path instanceof SimulatedPath own) {
      return own;
    }
    throw new ProviderMismatchException(path + " is not a path of a simulation");
  }

  /// The names of the absolute path, with `.` and `..` resolved.
  List<String> resolvedNames() {
    return toAbsolutePath().normalize().names;
  }

  private SimulatedPath with(boolean rooted, List<String> changed) {
    return new SimulatedPath(fileSystem, rooted, changed);
  }

  private boolean isEmpty() {
    return !absolute && names.equals(List.of(""));
  }

  @Override
  public FileSystem getFileSystem() {
    return fileSystem;
  }

  @Override
  public boolean isAbsolute() {
    return absolute;
  }

  @Override
  public @Nullable Path getRoot() {
    return absolute ? with(true, List.of()) : null;
  }

  @Override
  public @Nullable Path getFileName() {
    return names.isEmpty() ? null : with(false, List.of(names.getLast()));
  }

  @Override
  public @Nullable Path getParent() {
    if (names.isEmpty() || (names.size() == 1 && !absolute)) {
      return null;
    }
    return with(absolute, names.subList(0, names.size() - 1));
  }

  @Override
  public int getNameCount() {
    return names.size();
  }

  @Override
  public Path getName(int index) {
    return subpath(index, index + 1);
  }

  @Override
  public Path subpath(int from, int to) {
    if (from < 0 || to > names.size() || from >= to) {
      throw new IllegalArgumentException(this + " has no names from " + from + " to " + to);
    }
    return with(false, names.subList(from, to));
  }

  @Override
  public boolean startsWith(Path other) {
    return other instanceof SimulatedPath own
        && own.fileSystem == fileSystem
        && own.absolute == absolute
        && own.names.size() <= names.size()
        && names.subList(0, own.names.size()).equals(own.names);
  }

  @Override
  public boolean endsWith(Path other) {
    if (!(other instanceof SimulatedPath own) || own.fileSystem != fileSystem) {
      return false;
    }
    if (own.absolute) {
      return equals(own);
    }
    int skipped = names.size() - own.names.size();
    return skipped >= 0 && names.subList(skipped, names.size()).equals(own.names);
  }

  @Override
  public SimulatedPath normalize() {
    List<String> left = new ArrayList<>();
    for (String name : names) {
      boolean up = name.equals("..");
      boolean hasParent = !left.isEmpty() && !left.getLast().equals("..");
      if (up && hasParent) {
        left.removeLast();
      } else if (!name.equals(".") && !(up && absolute)) {
        left.add(name);
      }
    }
    return with(absolute, left.isEmpty() && !absolute ? List.of("") : left);
  }

  @Override
  public Path resolve(Path other) {
    SimulatedPath own = of(other);
    if (own.absolute || isEmpty()) {
      return own;
    }
    if (own.isEmpty()) {
      return this;
    }
    List<String> all = new ArrayList<>(names);
    all.addAll(own.names);
    return with(absolute, all);
  }

  @Override
  public Path relativize(Path other) {
    SimulatedPath own = of(other);
    if (own.absolute != absolute) {
      throw new IllegalArgumentException("'other' is different type of Path");
    }
    List<String> from = isEmpty() ? List.of() : names;
    int common = 0;
    while (common < Math.min(from.size(), own.names.size())
        && from.get(common).equals(own.names.get(common))) {
      common++;
    }
    List<String> way = new ArrayList<>();
    from.subList(common, from.size()).forEach(_ -> way.add(".."));
    way.addAll(own.names.subList(common, own.names.size()));
    return with(false, way.isEmpty() ? List.of("") : way);
  }

  @Override
  public URI toUri() {
    String scheme = fileSystem.provider().getScheme();
    return URI.create(scheme + "://" + fileSystem + toAbsolutePath());
  }

  @Override
  public SimulatedPath toAbsolutePath() {
    return absolute ? this : with(true, isEmpty() ? List.of() : names);
  }

  @Override
  public Path toRealPath(LinkOption... options) throws IOException {
    SimulatedPath real = toAbsolutePath().normalize();
    fileSystem.provider().checkAccess(real);
    return real;
  }

  @Override
  public WatchKey register(
      WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
    throw new UnsupportedOperationException("a simulated file system is not watched");
  }

  @Override
  public int compareTo(Path other) {
    return toString().compareTo(of(other).toString());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SimulatedPath own
        && own.fileSystem == fileSystem
        && own.absolute == absolute
        && own.names.equals(names);
  }

  @Override
  public int hashCode() {
    return toString().hashCode();
  }

  @Override
  public String toString() {
    return (absolute ? "/" : "") + String.join("/", names);
  }
}
