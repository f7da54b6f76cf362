// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.watch;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;
import static java.nio.file.StandardWatchEventKinds.OVERFLOW;

import dev.heddle.internal.DaemonThread;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Watches directory trees for one loop, by one JDK watch service and one thread, which exist while
/// there is a tree.
///
/// **Thread** any but the carrier, because it blocks and takes locks. [#close()] any.
public final class DirectoryWatcher {
  /*
   * The JDK watches single directories and returns one key for each: the same key for every
   * registration of the directory, under any name. So a key maps to a set of folders, each of some
   * tree, and is cancelled with the last of them.
   *
   * States of a tree.
   *   from     event                                to       what happens
   *   -        add()                                WATCHED  every directory gets its key
   *   WATCHED  a directory is made below            WATCHED  it is watched, its contents reported
   *   WATCHED  the root was removed: its key ends   LOST     reported; the nearest directory above
   *                                                          is watched
   *   LOST     something happens in that one, or    WATCHED  the root is there again: reported,
   *            it ends                                       with its contents
   *                                                 LOST     it is not: the nearest directory above
   *   any      a directory cannot be watched        FAILED   reported; it has no keys any more
   *   any      remove()                             -        it has no keys any more
   *
   * I1. A path created in a directory before the directory is watched is reported, because the
   *     directory is listed after its registration. A path created in between may be reported
   *     twice. [FileWatchTest]
   * I2. Symbolic links below the root are not followed, so a tree has no cycles. [FileWatchTest]
   * I3. The thread and the service exist only while a key does. [FileWatchTest]
   *
   * Rejected. A service for each tree: Linux allows a user 128 of them. Always watching the
   * directory above the root: it may be busy or unreadable.
   *
   * Sources. trap-35; loop-244 to loop-246; promise T13.4.
   */
  private static final WatchEvent.Kind<?>[] KINDS = {ENTRY_CREATE, ENTRY_MODIFY, ENTRY_DELETE};

  /// A directory of a tree, or the one `above` its missing root.
  private record Folder(WatchedTree tree, Path path, boolean above) {}

  private final String threadName;

  // guarded by this
  private final Map<WatchKey, Set<Folder>> folders = new HashMap<>();

  // written under this, read by close()
  private volatile @Nullable WatchService service;

  public DirectoryWatcher(String threadName) {
    this.threadName = threadName;
  }

  // ---- adding and removing trees ----

  /// Begins to watch a tree.
  ///
  /// @throws IOException when one of its directories cannot be watched; then none is watched
  public void add(WatchedTree tree) throws IOException {
    synchronized (this) {
      try {
        if (!tree.isSilent()) {
          watchAll(tree, tree.root, false);
        }
      } catch (Throwable e) {
        forgetBelow(tree, null);
        throw e;
      } finally {
        closeWhenIdle();
      }
    }
  }

  public void remove(WatchedTree tree) throws IOException {
    synchronized (this) {
      forgetBelow(tree, null);
      closeWhenIdle();
    }
  }

  public void close() {
    WatchService open = service;
    if (open != null) {
      try {
        open.close();
      } catch (IOException _) {
        // safe: it is not used any more
      }
    }
  }

  private WatchService service() throws IOException {
    WatchService open = service;
    if (open == null) {
      WatchService opened = FileSystems.getDefault().newWatchService();
      var _ = DaemonThread.start(threadName, () -> serve(opened));
      service = opened;
      open = opened;
    }
    return open;
  }

  private void closeWhenIdle() throws IOException {
    WatchService open = service;
    if (folders.isEmpty() && open != null) {
      service = null;
      open.close();
    }
  }

  // ---- adding and removing directories ----

  /// Watches a directory and, in a recursive tree, those below it.
  ///
  /// @param report whether its entries are to be reported
  private void watchAll(WatchedTree tree, Path top, boolean report) throws IOException {
    ArrayDeque<Path> toDo = new ArrayDeque<>(List.of(top));
    for (Path next = toDo.poll(); next != null; next = toDo.poll()) {
      try {
        watch(new Folder(tree, next, false));
        scan(tree, next, report, toDo);
      } catch (NoSuchFileException | NotDirectoryException e) {
        if (next.equals(tree.root)) {
          throw e;
        }
        // removed meanwhile: the parent directory reports it
      }
    }
  }

  private static void scan(WatchedTree tree, Path directory, boolean report, ArrayDeque<Path> toDo)
      throws IOException {
    if (!tree.recursive && !report) {
      return;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (report) {
          tree.created(entry);
        }
        if (tree.recursive && Files.isDirectory(entry, NOFOLLOW_LINKS)) {
          toDo.add(entry);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  private void watch(Folder folder) throws IOException {
    WatchedTree tree = folder.tree;
    if (tree.folders.size() >= tree.limit && !tree.folders.containsKey(folder.path)) {
      throw new IOException(
          "%s has more than %s directories below it; raise the limit of the watch or watch less"
              .formatted(tree.root, tree.limit));
    }
    WatchKey key = register(folder.path);
    WatchKey before = tree.folders.put(folder.path, key);
    if (before != null && before != key) {
      drop(before, folder);
    }
    folders.computeIfAbsent(key, _ -> new LinkedHashSet<>()).add(folder);
  }

  private WatchKey register(Path directory) throws IOException {
    try {
      return directory.register(service(), KINDS);
    } catch (FileSystemException e) {
      throw e; // its message says what is wrong
    } catch (IOException e) {
      throw new IOException(
          directory
              + " cannot be watched: "
              + e.getMessage()
              + "; watch less, or raise the limit of the system (fs.inotify of Linux)",
          e);
    }
  }

  /// Ends the watches of a directory and those below it, or (null) of the whole tree.
  private void forgetBelow(WatchedTree tree, @Nullable Path top) {
    for (Path path : List.copyOf(tree.folders.keySet())) {
      if (top == null || path.startsWith(top)) {
        forget(tree, path);
      }
    }
  }

  private void forget(WatchedTree tree, Path path) {
    WatchKey key = tree.folders.remove(path);
    if (key != null) {
      List.copyOf(folders.getOrDefault(key, Set.of())).stream()
          .filter(folder -> folder.tree == tree && folder.path.equals(path))
          .forEach(folder -> drop(key, folder));
    }
  }

  private void drop(WatchKey key, Folder folder) {
    Set<Folder> of = folders.get(key);
    if (of != null && of.remove(folder) && of.isEmpty()) {
      folders.remove(key);
      key.cancel();
    }
  }

  // ---- events ----

  private void serve(WatchService from) {
    try {
      while (true) {
        WatchKey key = from.take();
        synchronized (this) {
          onKey(key);
          closeWhenIdle();
        }
      }
    } catch (ClosedWatchServiceException | InterruptedException | IOException _) {
      // safe: the last tree was removed, or the loop has ended
    }
  }

  private void onKey(WatchKey key) {
    List<WatchEvent<?>> events = key.pollEvents();
    for (Folder folder : List.copyOf(folders.getOrDefault(key, Set.of()))) {
      guarded(folder.tree, () -> onEvents(folder, events));
    }
    if (!key.reset()) {
      Set<Folder> ended = folders.remove(key);
      for (Folder folder : ended == null ? Set.<Folder>of() : ended) {
        guarded(folder.tree, () -> ended(folder));
      }
    }
  }

  private interface Step {
    void run() throws IOException;
  }

  private void guarded(WatchedTree tree, Step step) {
    try {
      step.run();
    } catch (Throwable e) {
      // a user's filter may throw undeclared exceptions
      forgetBelow(tree, null);
      tree.failed(e);
    }
  }

  private void onEvents(Folder folder, List<WatchEvent<?>> events) throws IOException {
    if (folder.above) {
      find(folder.tree);
      return;
    }
    for (WatchEvent<?> event : events) {
      if (event.kind() == OVERFLOW) {
        folder.tree.lost();
        if (folder.tree.recursive) {
          watchAll(folder.tree, folder.path, false);
        }
      } else if (event.context() instanceof Path name) {
        onEvents(folder.tree, event, folder.path.resolve(name));
      }
    }
  }

  private void onEvents(WatchedTree tree, WatchEvent<?> event, Path path) throws IOException {
    if (event.kind() == ENTRY_CREATE) {
      tree.created(path);
      if (tree.recursive && Files.isDirectory(path, NOFOLLOW_LINKS)) {
        forgetBelow(tree, path);
        watchAll(tree, path, true);
      }
    } else if (event.kind() == ENTRY_DELETE) {
      if (tree.recursive) {
        forgetBelow(tree, path); // also if it was moved away
      }
      tree.deleted(path);
    } else {
      for (int i = 0; i < event.count(); i++) {
        tree.modified(path);
      }
    }
  }

  private void ended(Folder folder) throws IOException {
    WatchedTree tree = folder.tree;
    tree.folders.remove(folder.path);
    if (folder.path.equals(tree.root)) {
      tree.deleted(tree.root);
      find(tree);
    } else if (folder.above) {
      find(tree);
    }
  }

  /// Watches the root of a tree again, or the nearest directory above it.
  private void find(WatchedTree tree) throws IOException {
    while (!tree.isSilent()) {
      try {
        if (Files.isDirectory(tree.root)) {
          forgetBelow(tree, null);
          watchAll(tree, tree.root, true);
          return;
        }
        Path above = nextAbove(tree.root);
        if (tree.folders.containsKey(above)) {
          return; // the root did not appear while the watch was set up
        }
        forgetBelow(tree, null);
        watch(new Folder(tree, above, true));
      } catch (NoSuchFileException | NotDirectoryException _) {
        // gone again: retry
      }
    }
  }

  private static Path nextAbove(Path root) throws IOException {
    Path above = root.toAbsolutePath().getParent();
    while (above != null && !Files.isDirectory(above)) {
      above = above.getParent();
    }
    if (above == null) {
      throw new NoSuchFileException(root.toString());
    }
    return above;
  }
}
