// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.event.Awaitable;
import dev.heddle.event.EventStream;
import dev.heddle.loop.LoopRuntime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Configures a watch of a directory, which [#open()] begins.
///
/// {@snippet class=dev.heddle.snippets.WatchSnippetsTest region=watch}
///
/// An immutable value: each `with` returns a changed copy. By default a watch reports files
/// directly in the directory, and combines unread changes of one file into one.
///
/// A directory that is removed and created again is watched again, also the root. Symbolic links
/// are not followed, but the root may be one. When the system has lost changes, as it does when
/// many come at once, the stream throws an [dev.heddle.EventsLostException] at that point: read the
/// files again, then read on.
///
/// @since 0.1
public final class FileWatch {
  private static final int DEFAULT_CAPACITY = 1024;
  private static final int DEFAULT_LIMIT = 10_000;

  private final Draft settings;

  private FileWatch(Draft settings) {
    this.settings = settings;
  }

  /// A watch of the files in a directory.
  public static FileWatch of(Path directory) {
    Objects.requireNonNull(directory, "directory");
    return new FileWatch(new Draft(directory));
  }

  private FileWatch with(Consumer<Draft> change) {
    Draft changed = new Draft(settings);
    change.accept(changed);
    return new FileWatch(changed);
  }

  /// Also watches all directories below it, present and future.
  public FileWatch recursive() {
    return with(draft -> draft.recursive = true);
  }

  /// Reports each change separately, instead of combining unread changes of one file.
  public FileWatch raw() {
    return with(draft -> draft.raw = true);
  }

  /// Reports changes only as one [FileChange.Kind#SETTLED] without a path, once no change has
  /// happened for `quiet`.
  ///
  /// @throws IllegalArgumentException unless it is positive
  public FileWatch withDebounce(Duration quiet) {
    if (!quiet.isPositive()) {
      throw new IllegalArgumentException("a debounce must be positive, not " + quiet);
    }
    return with(draft -> draft.quiet = quiet);
  }

  /// Reports only files with one of these extensions.
  ///
  /// @param extensions without the dot
  public FileWatch withExtensions(String... extensions) {
    List<String> ends = List.of(extensions).stream().map(extension -> "." + extension).toList();
    return withFilter(path -> {
      String name = String.valueOf(path.getFileName());
      return ends.stream().anyMatch(name::endsWith);
    });
  }

  /// Reports only paths that `filter` and all earlier filters accept.
  ///
  /// @param filter called on the watcher's thread, for one path at a time: it must not access state
  ///   of coroutines, and delays all watches of the loop while it runs
  public FileWatch withFilter(Predicate<? super Path> filter) {
    Objects.requireNonNull(filter, "filter");
    return with(draft -> draft.filter = draft.filter.and(filter));
  }

  /// Sets how many unread changes are kept; by default 1,024. Further changes are lost, which the
  /// stream reports.
  ///
  /// @throws IllegalArgumentException when it is less than 1
  public FileWatch withCapacity(int changes) {
    if (changes < 1) {
      throw new IllegalArgumentException("a watch holds at least one change, not " + changes);
    }
    return with(draft -> draft.capacity = changes);
  }

  /// Sets the maximum number of watched directories; by default 10,000. With more, the watch fails.
  /// The system has its own limit for all processes of a user.
  ///
  /// @throws IllegalArgumentException when it is less than 1
  public FileWatch withLimit(int directories) {
    if (directories < 1) {
      throw new IllegalArgumentException(
          "a watch needs at least one directory, not " + directories);
    }
    return with(draft -> draft.limit = directories);
  }

  /// Begins to watch. **Suspends** until all directories are watched. **Cancelled** none is
  /// watched.
  ///
  /// A later failure (an unreadable directory, too many directories) is thrown by the stream, as an
  /// [java.io.UncheckedIOException].
  ///
  /// @return the changes from now on; must be closed
  /// @throws java.nio.file.NoSuchFileException when the directory does not exist
  /// @throws java.nio.file.NotDirectoryException when it is not a directory
  /// @throws IOException when there are more directories than the limit, or one cannot be read
  /// @throws IllegalStateException outside a coroutine
  public EventStream<FileChange> open() throws IOException {
    FileWatches watches = LoopRuntime.current().services().get(FileWatches.class, FileWatches::new);
    FileChanges changes = new FileChanges(watches, settings.root, settings.quiet);
    Awaitable<FileChange> source = () -> changes;
    EventStream<FileChange> stream =
        settings.raw
            ? EventStream.of(source, settings.capacity)
            : EventStream.merging(source, settings.capacity, FileChange::path, FileChange::then);
    try {
      changes.open(settings.recursive, settings.limit, settings.filter);
      return stream;
    } catch (Throwable e) {
      stream.close();
      throw e;
    }
  }

  private static final class Draft {
    final Path root;
    boolean recursive;
    boolean raw;
    @Nullable Duration quiet;
    Predicate<Path> filter = path -> true;
    int capacity = DEFAULT_CAPACITY;
    int limit = DEFAULT_LIMIT;

    Draft(Path root) {
      this.root = root;
    }

    Draft(Draft from) {
      root = from.root;
      recursive = from.recursive;
      raw = from.raw;
      quiet = from.quiet;
      filter = from.filter;
      capacity = from.capacity;
      limit = from.limit;
    }
  }
}
