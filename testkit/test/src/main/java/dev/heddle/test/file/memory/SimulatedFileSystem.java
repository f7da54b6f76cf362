// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file.memory;

import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// The paths of a simulated file system.
final class SimulatedFileSystem extends FileSystem {
  private final SimulatedFileProvider provider;
  private final String host;

  SimulatedFileSystem(FileTree tree, String host) {
    this.host = host;
    this.provider = new SimulatedFileProvider(this, tree);
  }

  @Override
  public SimulatedFileProvider provider() {
    return provider;
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("a simulated file system ends with its simulation");
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public String getSeparator() {
    return "/";
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    return List.of(getPath("/"));
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return List.of();
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return Set.of("basic");
  }

  @Override
  public Path getPath(String first, String... more) {
    return SimulatedPath.parse(
        this, more.length == 0 ? first : first + "/" + String.join("/", more));
  }

  @Override
  public PathMatcher getPathMatcher(String syntaxAndPattern) {
    if (!syntaxAndPattern.startsWith("regex:")) {
      throw new UnsupportedOperationException("a simulated file system matches `regex:` only");
    }
    Pattern pattern = Pattern.compile(syntaxAndPattern.substring("regex:".length()));
    return path -> pattern.matcher(path.toString()).matches();
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    throw new UnsupportedOperationException("a simulated file system has no users");
  }

  @Override
  public WatchService newWatchService() {
    throw new UnsupportedOperationException("a simulated file system is not watched");
  }

  /// The name of its host, which is a part of URIs.
  @Override
  public String toString() {
    return host;
  }
}
