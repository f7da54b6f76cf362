// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.CoroutineException;
import dev.heddle.coroutine.CompletionHandler;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The completion handlers of one coroutine or scope.
///
/// @param <S> the type of what ends
final class Completions<S> {
  private final List<CompletionHandler<? super S>> handlers = new ArrayList<>(1);

  /// Runs a handler that was added after the end, directly.
  static <S> void runInPlace(CompletionHandler<? super S> handler, S ended) {
    try {
      handler.onCompletion(ended);
    } catch (Exception e) {
      throw Rethrow.unchecked(CoroutineException.of(e));
    }
  }

  void add(CompletionHandler<? super S> handler) {
    handlers.add(handler);
  }

  /// Runs all handlers in order. A handler that the shutdown deadline cancels has not failed: it is
  /// reported as late.
  ///
  /// @param isCut whether a throwable is the cancellation of the coroutine that runs the handlers
  /// @return null, the only failure, or a [dev.heddle.CompositeException] of all
  @Nullable Throwable run(S ended, Predicate<Throwable> isCut) {
    List<Throwable> thrown = new ArrayList<>(0);
    for (CompletionHandler<? super S> handler : handlers) {
      try {
        handler.onCompletion(ended);
      } catch (Throwable e) {
        FailureTable.throwIfFatal(e);
        Throwable failure = isCut.test(e) ? Precedence.carriedBy(e) : e;
        if (failure != null) {
          thrown.add(CoroutineException.of(failure));
        }
      }
    }
    return thrown.isEmpty()
        ? null
        : Precedence.composite(thrown, "completion handlers of " + ended);
  }
}
