// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import org.jspecify.annotations.Nullable;

/// A test of an item: the action of an iteration that decides whether the iteration continues, or
/// the check of a pool that decides whether a resource may be used further.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=iterate}
///
/// @param <T> the type of the items
/// @since 0.1
@FunctionalInterface
public interface ItemTest<T extends @Nullable Object> {
  /// Runs as plain blocking code; it may suspend at any depth.
  ///
  /// @return false to take no more items, or to reject the resource
  /// @throws Exception any; it ends an iteration, which throws it, and rejects a resource
  boolean test(T item) throws Exception;
}
