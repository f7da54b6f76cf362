// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A change in a watched directory.
///
/// {@snippet class=dev.heddle.snippets.WatchSnippetsTest region=watch}
///
/// @param kind the kind of change
/// @param root the watched directory, as given
/// @param path the changed path, below the root or the root itself; null for [Kind#SETTLED]
/// @since 0.1
public record FileChange(Kind kind, Path root, @Nullable Path path) {
  /// The kind of a change.
  ///
  /// {@snippet class=dev.heddle.snippets.WatchSnippetsTest region=watch}
  public enum Kind {
    /// The path was created.
    CREATED,
    /// The path was replaced or its content changed.
    MODIFIED,
    /// The path was deleted.
    DELETED,
    /// There were changes, and then none for the debounce time; only with [FileWatch#withDebounce].
    SETTLED
  }

  /// Combines this change with a later one of the same path, for a reader that has seen neither.
  FileChange then(FileChange next) {
    return switch (next.kind) {
      case DELETED, SETTLED -> next;
      case CREATED -> kind == Kind.DELETED ? with(Kind.MODIFIED) : next;
      case MODIFIED -> kind == Kind.DELETED ? next : this;
    };
  }

  private FileChange with(Kind other) {
    return new FileChange(other, root, path);
  }
}
