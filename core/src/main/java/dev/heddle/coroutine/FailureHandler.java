// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

/// Called with the unobserved failures in a scope, which then cancel no other member.
///
/// Runs as a short coroutine. A cancellation of the scope does not reach it; the scope waits for
/// it. A throwable of the handler fails the scope, so it may rethrow the failure itself.
///
/// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=handler}
///
/// @see Scope#handleFailures(FailureHandler)
/// @since 0.1
@FunctionalInterface
public interface FailureHandler {
  /// Called with a failure.
  ///
  /// @param scope the scope in which it failed
  /// @param coroutine the coroutine that failed, or whose completion handlers did
  /// @param failure the throwable itself; a [dev.heddle.CompositeException] if several completion
  ///   handlers failed
  /// @throws Exception any; it fails the scope of this handler
  void onFailure(Scope scope, Coroutine<?> coroutine, Throwable failure) throws Exception;
}
