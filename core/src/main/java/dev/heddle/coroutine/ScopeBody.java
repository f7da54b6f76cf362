// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import org.jspecify.annotations.Nullable;

/// The body of a scope block.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=heddle}
///
/// @param <T> the type of the result
/// @since 0.1
@FunctionalInterface
public interface ScopeBody<T extends @Nullable Object> {
  /// Runs in the coroutine that opened the scope.
  ///
  /// @throws Exception any; it is thrown after the members of the scope have been cancelled and
  ///   awaited
  T run(Scope scope) throws Exception;
}
