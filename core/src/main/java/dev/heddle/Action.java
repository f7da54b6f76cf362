// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

/// The body of a coroutine without a result.
///
/// {@snippet class=dev.heddle.snippets.FailureSnippetsTest region=bodies}
///
/// @since 0.1
@FunctionalInterface
public interface Action {
  /// Runs as plain blocking code; it may suspend at any depth.
  ///
  /// @throws Exception any; a checked one reaches others wrapped once in a [CoroutineException]
  void run() throws Exception;
}
