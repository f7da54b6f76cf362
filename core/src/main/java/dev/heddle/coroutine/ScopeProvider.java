// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import org.jspecify.annotations.Nullable;

/// Provides the scope of a spawn; an application object with a scope of its own may implement it.
///
/// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=provider}
///
/// @see dev.heddle.Heddle#spawnWith(ScopeProvider, dev.heddle.Body)
/// @since 0.1
@FunctionalInterface
public interface ScopeProvider {
  /// The scope; null for the current one.
  @Nullable Scope provideScope();
}
