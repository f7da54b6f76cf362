// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

/// Told when a coroutine or a scope has ended, however it ended.
///
/// Those of one coroutine or scope run one after the other, in the order of their registration, in
/// a short coroutine of their own, which a cancellation of the scope does not reach; the scope
/// waits for it. All of them run, whatever the others throw; what they throw is a failure in the
/// scope that nobody awaits, a [dev.heddle.CompositeException] when several of them throw.
///
/// @param <S> what has ended
/// @since 0.1
@FunctionalInterface
public interface CompletionHandler<S> {
  /// It has ended.
  ///
  /// @throws Exception any; the other handlers run all the same
  void onCompletion(S ended) throws Exception;
}
