// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import org.jspecify.annotations.Nullable;

/// Makes one value of another.
///
/// @param <T> the type of what is given
/// @param <R> the type of what is made of it
/// @since 0.1
@FunctionalInterface
public interface Transform<T extends @Nullable Object, R extends @Nullable Object> {
  /// Runs as plain blocking code; it may suspend at any depth.
  ///
  /// @throws Exception any; a checked one reaches others wrapped once in a [CoroutineException]
  R apply(T value) throws Exception;
}
