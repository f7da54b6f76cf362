// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import org.jspecify.annotations.Nullable;

/// Maps a value to another.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=select}
///
/// @param <T> the type of the argument
/// @param <R> the type of the result
/// @since 0.1
@FunctionalInterface
public interface Transform<T extends @Nullable Object, R extends @Nullable Object> {
  /// Runs as plain blocking code; it may suspend at any depth.
  ///
  /// @throws Exception any; a checked one reaches others wrapped once in a [CoroutineException]
  R apply(T value) throws Exception;
}
