// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import org.jspecify.annotations.Nullable;

/// An action on an item: of an iteration, called for each item, or of a pool, called with a
/// resource.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=iterate}
///
/// @param <T> the type of the items
/// @since 0.1
@FunctionalInterface
public interface ItemAction<T extends @Nullable Object> {
  /// Runs as plain blocking code; it may suspend at any depth.
  ///
  /// @throws Exception any; it ends an iteration, which throws it
  void accept(T item) throws Exception;
}
