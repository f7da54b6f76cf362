// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.coroutine.tree.ConcurrentIteration;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/// A concurrent iteration: calls an action for each item of a source, several at a time.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=iterate}
///
/// Workers are coroutines. A worker takes the next item, in the order of the source, and calls the
/// action for it. A further worker starts only when an action suspends, so actions that never
/// suspend run one after the other, as in a plain loop.
///
/// An immutable value; it may be run many times if its source can be iterated many times.
///
/// **Suspends** until every action has ended. **Cancelled** the actions are cancelled and awaited.
/// **Failure** of an action or of the source cancels the other actions and is thrown, as by
/// [dev.heddle.Heddle#scope]. **Cost** one worker while no action suspends, then one for each
/// running action.
///
/// @param <T> the type of the items
/// @since 0.1
public final class ForEach<T extends @Nullable Object> {
  private static final int UNLIMITED = Integer.MAX_VALUE;

  private final Iterable<? extends T> source;
  private final int concurrency;
  private final boolean cancelPending;

  private ForEach(Iterable<? extends T> source, int concurrency, boolean cancelPending) {
    this.source = source;
    this.concurrency = concurrency;
    this.cancelPending = cancelPending;
  }

  /// Iterates over a source, without a limit. A map is iterated over by its entries.
  ///
  /// @param source its iterator may suspend; only one worker at a time calls it
  public static <T extends @Nullable Object> ForEach<T> over(Iterable<? extends T> source) {
    return new ForEach<>(source, UNLIMITED, true);
  }

  /// Iterates over the remaining items of an iterator. Else as [#over(Iterable)].
  public static <T extends @Nullable Object> ForEach<T> over(Iterator<T> source) {
    return over(() -> source);
  }

  /// The same with at most `most` actions at a time.
  ///
  /// @param most at least 1
  /// @throws IllegalArgumentException when `most` is less than 1
  public ForEach<T> withConcurrency(int most) {
    if (most < 1) {
      throw new IllegalArgumentException(
          "a concurrency of " + most + " would never call the action; give at least 1");
    }
    return new ForEach<>(source, most, cancelPending);
  }

  /// The same, awaiting the coroutines that the actions spawned and that still run when the last
  /// action has ended. Without this they are cancelled then.
  public ForEach<T> withPendingAwaited() {
    return new ForEach<>(source, concurrency, false);
  }

  /// Calls `action` for each item.
  ///
  /// @throws dev.heddle.CoroutineException when the action or the source threw a checked exception;
  ///   unchecked ones and errors come as they are
  public void run(ItemAction<? super T> action) {
    ConcurrentIteration.run(
        source,
        concurrency,
        cancelPending,
        action.getClass(),
        item -> {
          action.accept(item);
          return true;
        });
  }

  /// Calls `action` for each item until it returns false. Actions that still run then are awaited;
  /// a worker that waits for the source's next item is cancelled. Else as [#run].
  public void runWhile(ItemTest<? super T> action) {
    ConcurrentIteration.run(source, concurrency, cancelPending, action.getClass(), action::test);
  }
}
