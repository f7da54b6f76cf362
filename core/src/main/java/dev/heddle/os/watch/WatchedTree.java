// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.watch;

import java.nio.file.Path;
import java.nio.file.WatchKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/// A watched directory, possibly with those below it.
public final class WatchedTree {
  final Path root;
  final boolean recursive;
  final int limit;
  private final Predicate<Path> filter;
  private final Listener listener;

  // guarded by the watcher; contains the directory above while the root is gone
  final Map<Path, WatchKey> folders = new LinkedHashMap<>();

  // the loop writes, the watcher's threads read
  private volatile boolean silent;

  /// Creates a tree that is not watched yet.
  ///
  /// @param limit maximum number of directories
  /// @param filter the paths to report
  public WatchedTree(
      Path root, boolean recursive, int limit, Predicate<Path> filter, Listener listener) {
    this.root = root;
    this.recursive = recursive;
    this.limit = limit;
    this.filter = filter;
    this.listener = listener;
  }

  public void silence() {
    silent = true;
  }

  boolean isSilent() {
    return silent;
  }

  void created(Path path) {
    if (isWanted(path)) {
      listener.created(path);
    }
  }

  void modified(Path path) {
    if (isWanted(path)) {
      listener.modified(path);
    }
  }

  void deleted(Path path) {
    if (isWanted(path)) {
      listener.deleted(path);
    }
  }

  void lost() {
    listener.lost();
  }

  void failed(Throwable why) {
    listener.failed(why);
  }

  private boolean isWanted(Path path) {
    return !silent && filter.test(path);
  }

  /// Called with the changes below a directory, on the watcher's thread.
  public interface Listener {
    void created(Path path);

    /// The content of a file has changed.
    void modified(Path path);

    void deleted(Path path);

    void lost();

    /// The watch has ended, by an [java.io.IOException] or an exception of the filter.
    void failed(Throwable why);
  }
}
