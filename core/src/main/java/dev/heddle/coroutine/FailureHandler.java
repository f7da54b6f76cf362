// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

/// Told of the failures in a scope that nobody awaits, so that they cancel nobody.
///
/// Runs as a short coroutine, which a cancellation of the scope does not reach; the scope waits for
/// it. What it throws fails the scope after all: throwing the failure itself hands it on.
///
/// @see Scope#handleFailures(FailureHandler)
/// @since 0.1
@FunctionalInterface
public interface FailureHandler {
  /// Something failed.
  ///
  /// @param scope the scope in which it failed
  /// @param coroutine the one that failed, or whose completion handlers did
  /// @param failure the throwable itself; [dev.heddle.CompositeException] for several handlers
  /// @throws Exception any; it fails the scope whose handler this is
  void onFailure(Scope scope, Coroutine<?> coroutine, Throwable failure) throws Exception;
}
