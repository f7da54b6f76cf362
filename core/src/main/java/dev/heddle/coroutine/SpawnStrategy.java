// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

/// Says in which scope to spawn, and sees each coroutine before and after it is queued: to give it
/// values, a priority or handlers, or to count it.
///
/// Called in this order, in the coroutine that spawns: [#provideScope()], [#beforeEnqueue],
/// [#afterEnqueue]; then the body runs.
///
/// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=strategy}
///
/// @since 0.1
public interface SpawnStrategy extends ScopeProvider {
  /// The coroutine exists and is not queued yet. What this throws, the spawn throws, and there is
  /// no coroutine.
  default void beforeEnqueue(Coroutine<?> coroutine, Scope scope) {}

  /// The coroutine is queued and has not started. What this throws, the spawn throws, and the
  /// coroutine is cancelled.
  default void afterEnqueue(Coroutine<?> coroutine, Scope scope) {}
}
