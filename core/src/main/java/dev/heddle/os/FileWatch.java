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

/// A directory to be watched, and how: [#open()] begins.
///
/// {@snippet class=dev.heddle.snippets.WatchSnippetsTest region=watch}
///
/// A value: each `with` returns a changed copy. Without more it tells of files directly in the
/// directory, and changes of one file that nobody has read yet are told as one.
///
/// A directory that is removed and made again is watched again, the root, too. Symbolic links are
/// not followed, but the root may be one. When the system has lost changes, as it does when many
/// come at once, the stream throws an [dev.heddle.EventsLostException] at that place: look at the
/// files anew, and read on.
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

  /// Watches the directories below it, too, and those that are made there.
  public FileWatch recursive() {
    return with(draft -> draft.recursive = true);
  }

  /// Tells each change by itself, instead of those of one file that nobody has read as one.
  public FileWatch raw() {
    return with(draft -> draft.raw = true);
  }

  /// Tells only that something has changed, as one [FileChange.Kind#SETTLED] without a path, when
  /// nothing has for `quiet`.
  ///
  /// @throws IllegalArgumentException unless it is positive
  public FileWatch withDebounce(Duration quiet) {
    if (!quiet.isPositive()) {
      throw new IllegalArgumentException("a debounce must be positive, not " + quiet);
    }
    return with(draft -> draft.quiet = quiet);
  }

  /// Tells only of files whose names end by one of these extensions.
  ///
  /// @param extensions without the dot
  public FileWatch withExtensions(String... extensions) {
    List<String> ends = List.of(extensions).stream().map(extension -> "." + extension).toList();
    return withFilter(path -> {
      String name = String.valueOf(path.getFileName());
      return ends.stream().anyMatch(name::endsWith);
    });
  }

  /// Tells only of paths for which `filter` says so, and all filters that were given before.
  ///
  /// @param filter called on a thread beside the loop, for one path after the other: it must not
  ///   touch what coroutines share, and holds up all watches of the loop while it runs
  public FileWatch withFilter(Predicate<? super Path> filter) {
    Objects.requireNonNull(filter, "filter");
    return with(draft -> draft.filter = draft.filter.and(filter));
  }

  /// How many changes that nobody has read are kept; else 1,024. What comes then is lost, and the
  /// stream says so.
  ///
  /// @throws IllegalArgumentException when it is less than 1
  public FileWatch withCapacity(int changes) {
    if (changes < 1) {
      throw new IllegalArgumentException("a watch holds at least one change, not " + changes);
    }
    return with(draft -> draft.capacity = changes);
  }

  /// How many directories it watches at most; else 10,000. The system has a limit of its own for
  /// all processes of a user. With more of them the watch fails.
  ///
  /// @throws IllegalArgumentException when it is less than 1
  public FileWatch withLimit(int directories) {
    if (directories < 1) {
      throw new IllegalArgumentException(
          "a watch needs at least one directory, not " + directories);
    }
    return with(draft -> draft.limit = directories);
  }

  /// Begins to watch. **Suspends** until all directories are watched. **Cancelled** none is.
  ///
  /// A later failure (a directory that cannot be read, more of them than allowed) is thrown by the
  /// stream, as an [java.io.UncheckedIOException].
  ///
  /// @return the changes from now on; to be closed
  /// @throws java.nio.file.NoSuchFileException when it is not there
  /// @throws java.nio.file.NotDirectoryException when it is no directory
  /// @throws IOException when there are more directories than it may watch, or one of them cannot
  ///   be read
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

  /// A watch that is being changed.
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
