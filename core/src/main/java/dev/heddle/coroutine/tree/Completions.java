// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.CompositeException;
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
/// @param <S> what they are told of
final class Completions<S> {
  private final List<CompletionHandler<? super S>> handlers = new ArrayList<>(1);

  /// Runs a handler that came too late, in place.
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

  /// Runs all of them, in order. One that the shutdown deadline cuts has not failed: it is reported
  /// as late.
  ///
  /// @param isCut whether the coroutine that runs them was cancelled with what one has thrown
  /// @return what they threw: nothing, what the only one threw, or all of it in one
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
    return switch (thrown.size()) {
      case 0 -> null;
      case 1 -> thrown.getFirst();
      default ->
          new CompositeException(
              thrown.size() + " completion handlers of " + ended + " failed", thrown);
    };
  }
}
