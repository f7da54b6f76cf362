// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import org.jspecify.annotations.Nullable;

/// The body of a coroutine with a result.
///
/// @param <T> the type of the result
/// @since 0.1
@FunctionalInterface
public interface Body<T extends @Nullable Object> {
  /// Runs as plain blocking code; it may suspend at any depth.
  ///
  /// @throws Exception any; a checked one reaches others wrapped once in a [CoroutineException]
  T run() throws Exception;
}
