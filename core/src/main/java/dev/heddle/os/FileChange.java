// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Something that has changed below a watched directory.
///
/// {@snippet class=dev.heddle.snippets.WatchSnippetsTest region=watch}
///
/// @param kind what has happened
/// @param root the directory that was watched, as it was given
/// @param path what has changed, below the root or the root itself; null when that is not told
/// @since 0.1
public record FileChange(Kind kind, Path root, @Nullable Path path) {
  /// What has happened.
  public enum Kind {
    /// It is there now.
    CREATED,
    /// It is another one now, or has other content.
    MODIFIED,
    /// It was there.
    DELETED,
    /// Several things have changed, and then nothing for a while; of a watch with
    /// [FileWatch#withDebounce].
    SETTLED
  }

  /// This and a later change of the same path as one: what a reader finds that knows neither.
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
