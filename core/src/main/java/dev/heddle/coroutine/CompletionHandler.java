// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

/// Called when a coroutine or a scope has ended, with a result, a failure or a cancellation.
///
/// The handlers of one coroutine or scope run one after the other, in the order of their
/// registration, in a short coroutine of their own. A cancellation of the scope does not reach that
/// coroutine; the scope waits for it. All handlers run even if some throw. Their failure is an
/// unobserved failure in the scope, a [dev.heddle.CompositeException] if several throw.
///
/// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=completion}
///
/// @param <S> the type of what has ended
/// @since 0.1
@FunctionalInterface
public interface CompletionHandler<S> {
  /// Called after the end.
  ///
  /// @throws Exception any; the other handlers run all the same
  void onCompletion(S ended) throws Exception;
}
