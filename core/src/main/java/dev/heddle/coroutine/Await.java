// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.coroutine.GatherEvent.OnFailure;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.failure.CrossThreadTraces;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Waits for several awaitables at once: for all of them, or until some suffice.
///
/// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=await}
///
/// For maps, iterators, and waits that something may end, [#of] and [#until] come first:
///
/// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=awaitOf}
///
/// A wait cancels nobody: who is not needed any more goes on. A failure that the wait has taken
/// notice of counts as taken; when the wait itself ends with something else, it is found in the
/// report of that.
///
/// A collection or a map is read at once. Any other iterable, and an iterator, is **pulled one by
/// one**, in a coroutine of its own that runs while the current one waits: `hasNext()` and `next()`
/// may suspend. When the wait is over no more is pulled; when the iterator throws, the wait does,
/// at once.
///
/// **Suspends** unless what has ended already suffices. **Cancelled** nothing is left behind.
/// **Cost** linear; an object for each awaitable.
///
/// @param <K> a position counted from 0, or the key of a map
/// @param <T> the type of the results
/// @since 0.1
public final class Await<K, T extends @Nullable Object> {
  private final Source<K, T> source;
  private final boolean pulled; // one by one, beside the wait
  private final @Nullable Deadline deadline;
  private final @Nullable Awaitable<?> token;

  private Await(
      Source<K, T> source,
      boolean pulled,
      @Nullable Deadline deadline,
      @Nullable Awaitable<?> token) {
    this.source = source;
    this.pulled = pulled;
    this.deadline = deadline;
    this.token = token;
  }

  /// Where the awaitables come from.
  private interface Source<K, T extends @Nullable Object> {
    void feed(GatherEvent<K, T> into, Runnable afterEach);
  }

  // ---- which ones ----

  /// Several, by their position.
  @SafeVarargs
  @SuppressWarnings("varargs") // only read
  public static <T extends @Nullable Object> Await<Integer, T> of(
      Awaitable<? extends T>... several) {
    return of(Arrays.asList(several));
  }

  /// Several, by their position; unless it is a collection, it is pulled one by one.
  public static <T extends @Nullable Object> Await<Integer, T> of(
      Iterable<? extends Awaitable<? extends T>> several) {
    return new Await<>(
        (into, afterEach) -> feed(several.iterator(), into, afterEach),
        !(several instanceof Collection),
        null,
        null);
  }

  /// Several, by their position, pulled one by one.
  public static <T extends @Nullable Object> Await<Integer, T> of(
      Iterator<? extends Awaitable<? extends T>> several) {
    return new Await<>((into, afterEach) -> feed(several, into, afterEach), true, null, null);
  }

  /// Several, by their keys.
  public static <K, T extends @Nullable Object> Await<K, T> of(
      Map<K, ? extends Awaitable<? extends T>> several) {
    return new Await<>((into, _) -> several.forEach(into::add), false, null, null);
  }

  private static <T extends @Nullable Object> void feed(
      Iterator<? extends Awaitable<? extends T>> from,
      GatherEvent<Integer, T> into,
      Runnable afterEach) {
    for (int position = 0; !into.isClosed() && from.hasNext(); position++) {
      into.add(position, from.next());
      afterEach.run();
    }
  }

  // ---- how long ----

  /// The same, but not beyond a deadline: the wait then throws a [dev.heddle.DeadlineException].
  public Await<K, T> until(Deadline end) {
    return new Await<>(source, pulled, end, null);
  }

  /// The same, but not beyond the moment in which `end` fires: the wait then throws a
  /// [dev.heddle.WaitCancelledException].
  public Await<K, T> until(Awaitable<?> end) {
    return new Await<>(source, pulled, null, end);
  }

  // ---- for what ----

  /// Waits for all, however they end.
  public Outcomes<K, T> all() {
    return gather(Integer.MAX_VALUE, OnFailure.COLLECT);
  }

  /// Waits for all to succeed; throws the first failure at once.
  public Outcomes<K, T> allOrFail() {
    return gather(Integer.MAX_VALUE, OnFailure.THROW);
  }

  /// Waits for the first to end, however it ends: the outcome of that one, or of none when there
  /// are none.
  public Outcomes<K, T> any() {
    return gather(1, OnFailure.COUNT);
  }

  /// Waits for the first to end and returns its result, or throws its failure.
  ///
  /// @throws java.util.NoSuchElementException when there are none
  public T anyOrFail() {
    return gather(1, OnFailure.THROW).first();
  }

  /// Waits for the first to succeed: its result ([Outcomes#first()]) and the failures before it.
  /// When all fail, all failures and no result.
  public Outcomes<K, T> firstSuccess() {
    return gather(1, OnFailure.COLLECT);
  }

  /// Waits until `count` have succeeded, or all have ended: their results, and the failures until
  /// then.
  ///
  /// @throws IllegalArgumentException when `count` is negative
  public Outcomes<K, T> anyOf(int count) {
    return gather(requireNotNegative(count), OnFailure.COLLECT);
  }

  /// Waits until `count` have succeeded, or all have; throws the first failure before that at once.
  ///
  /// @throws IllegalArgumentException when `count` is negative
  public Outcomes<K, T> anyOfOrFail(int count) {
    return gather(requireNotNegative(count), OnFailure.THROW);
  }

  private static int requireNotNegative(int count) {
    if (count < 0) {
      throw new IllegalArgumentException("cannot wait for " + count + " of several");
    }
    return count;
  }

  // ---- the usual ones in short ----

  /// `Await.of(several).all()`.
  public static <T extends @Nullable Object> Outcomes<Integer, T> all(
      Iterable<? extends Awaitable<? extends T>> several) {
    return Await.<T>of(several).all();
  }

  /// `Await.of(several).allOrFail()`: the results in the order of the input.
  public static <T extends @Nullable Object> List<T> allOrFail(
      Iterable<? extends Awaitable<? extends T>> several) {
    return Await.<T>of(several).allOrFail().values();
  }

  /// `Await.of(several).any()`.
  public static <T extends @Nullable Object> Outcomes<Integer, T> any(
      Iterable<? extends Awaitable<? extends T>> several) {
    return Await.<T>of(several).any();
  }

  /// `Await.of(several).anyOrFail()`.
  public static <T extends @Nullable Object> T anyOrFail(
      Iterable<? extends Awaitable<? extends T>> several) {
    return Await.<T>of(several).anyOrFail();
  }

  /// `Await.of(several).firstSuccess()`.
  public static <T extends @Nullable Object> Outcomes<Integer, T> firstSuccess(
      Iterable<? extends Awaitable<? extends T>> several) {
    return Await.<T>of(several).firstSuccess();
  }

  /// `Await.of(several).anyOf(count)`.
  public static <T extends @Nullable Object> Outcomes<Integer, T> anyOf(
      int count, Iterable<? extends Awaitable<? extends T>> several) {
    return Await.<T>of(several).anyOf(count);
  }

  /// `Await.of(several).anyOfOrFail(count)`.
  public static <T extends @Nullable Object> Outcomes<Integer, T> anyOfOrFail(
      int count, Iterable<? extends Awaitable<? extends T>> several) {
    return Await.<T>of(several).anyOfOrFail(count);
  }

  // ---- waiting ----

  private Outcomes<K, T> gather(int needed, OnFailure onFailure) {
    CoroutineNode<?> self = CoroutineNode.current();
    GatherEvent<K, T> gatherEvent = new GatherEvent<>(self.scheduler(), needed, onFailure);
    if (pulled && self.currentScope().isOpen()) {
      awaitPulled(self, gatherEvent);
    } else {
      source.feed(gatherEvent, () -> {});
      gatherEvent.seal();
      await(self, gatherEvent);
    }
    return gatherEvent.outcomes();
  }

  // the puller stands in the scope of who waits: what the iterator spawns must outlive the wait
  private void awaitPulled(CoroutineNode<?> self, GatherEvent<K, T> gatherEvent) {
    Coroutine<?> puller =
        self.currentScope()
            .<@Nullable Void>spawn(
                "puller",
                () -> {
                  source.feed(gatherEvent, Await::yieldNow);
                  return null;
                });
    puller.event().subscribe(gatherEvent.feederCallback());
    try {
      await(self, gatherEvent);
    } finally {
      if (!puller.isDone()) {
        self.cancelAndAwait(puller, "what it pulled for is decided");
      }
    }
  }

  // an iterator that never waits, and has no end, would keep what it brings from running
  private static void yieldNow() {
    CoroutineNode<?> puller = CoroutineNode.current();
    puller.scheduler().yieldFrom(puller);
  }

  private void await(CoroutineNode<?> self, GatherEvent<K, T> gatherEvent) {
    try {
      awaitBounded(self, gatherEvent);
    } catch (Throwable e) {
      CrossThreadTraces.appendAwaiterTrace(e);
      throw e;
    }
  }

  private void awaitBounded(CoroutineNode<?> self, GatherEvent<K, T> gatherEvent) {
    if (deadline != null) {
      self.scheduler().await(gatherEvent, deadline);
    } else if (token != null) {
      self.scheduler().await(gatherEvent, token);
    } else {
      self.scheduler().await(gatherEvent);
    }
  }
}
