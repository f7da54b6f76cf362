// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import org.jspecify.annotations.Nullable;

/// The action of an iteration, called for each item; it decides whether the iteration continues.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=iterate}
///
/// @param <T> the type of the items
/// @since 0.1
@FunctionalInterface
public interface ItemTest<T extends @Nullable Object> {
  /// Runs as plain blocking code in a worker of the iteration; it may suspend at any depth.
  ///
  /// @return false to take no more items
  /// @throws Exception any; it ends the iteration, which throws it
  boolean test(T item) throws Exception;
}
