// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

/// Provides the scope of a spawn, and is called before and after the coroutine is queued: to set
/// its values, priority or handlers, or to count it.
///
/// Called in this order, in the coroutine that spawns: [#provideScope()], [#beforeEnqueue],
/// [#afterEnqueue]; then the body runs.
///
/// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=strategy}
///
/// @since 0.1
public interface SpawnStrategy extends ScopeProvider {
  /// The coroutine exists and is not queued yet. If this throws, so does the spawn, and the
  /// coroutine is discarded.
  default void beforeEnqueue(Coroutine<?> coroutine, Scope scope) {}

  /// The coroutine is queued and has not started. If this throws, so does the spawn, and the
  /// coroutine is cancelled.
  default void afterEnqueue(Coroutine<?> coroutine, Scope scope) {}
}
