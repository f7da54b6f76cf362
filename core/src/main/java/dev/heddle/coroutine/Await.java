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

/// Waits for several awaitables at once: for all of them, or for enough of them.
///
/// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=await}
///
/// | waits for | and returns | instead throws the first failure it sees |
/// |---|---|---|
/// | all to end | [#allSettled()]: their outcomes | [#all()] |
/// | the first to end | [#race()]: its outcome | [#raceOrFail()] |
/// | the first to succeed | [#any()]: its result, and the failures before it | |
/// | `n` to succeed | [#anyOf(int)]: their results, and the failures before | [#anyOfOrFail(int)] |
///
/// `all`, `any` and `race` have the meanings that they have in a [TaskGroup].
///
/// For maps and iterators start with [#of]; [#until] bounds the wait:
///
/// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=awaitOf}
///
/// A wait cancels nothing: awaitables that are no longer needed continue. A failure that the wait
/// has collected counts as observed; if the wait itself then throws something else, the report of
/// that includes the failure.
///
/// A collection or a map is read at once. Any other iterable or iterator is **pulled item by item**
/// in a coroutine of its own while the current one waits, so `hasNext()` and `next()` may suspend.
/// Pulling stops when the wait is over; if the iterator throws, the wait throws that at once.
///
/// **Suspends** unless enough awaitables have ended already. **Cancelled** nothing is left behind.
/// **Cost** linear; an object for each awaitable.
///
/// @param <K> a position counted from 0, or the key of a map
/// @param <T> the type of the results
/// @since 0.1
public final class Await<K, T extends @Nullable Object> {
  private final Source<K, T> source;
  private final boolean pulled; // item by item, during the wait
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

  private interface Source<K, T extends @Nullable Object> {
    void feed(GatherEvent<K, T> into, Runnable afterEach);
  }

  // ---- sources ----

  /// Several, by their position.
  @SafeVarargs
  @SuppressWarnings("varargs") // only read
  public static <T extends @Nullable Object> Await<Integer, T> of(
      Awaitable<? extends T>... several) {
    return of(Arrays.asList(several));
  }

  /// Several, by their position; pulled item by item unless it is a collection.
  public static <T extends @Nullable Object> Await<Integer, T> of(
      Iterable<? extends Awaitable<? extends T>> several) {
    return new Await<>(
        (into, afterEach) -> feed(several.iterator(), into, afterEach),
        !(several instanceof Collection),
        null,
        null);
  }

  /// Several, by their position, pulled item by item.
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

  // ---- bounds ----

  /// The same, until the deadline at most; then the wait throws a [dev.heddle.DeadlineException].
  public Await<K, T> until(Deadline end) {
    return new Await<>(source, pulled, end, null);
  }

  /// The same, until `end` fires at most; then the wait throws a
  /// [dev.heddle.WaitCancelledException].
  public Await<K, T> until(Awaitable<?> end) {
    return new Await<>(source, pulled, null, end);
  }

  // ---- conditions ----

  /// Waits until all have ended, with results or failures.
  public Outcomes<K, T> allSettled() {
    return gather(Integer.MAX_VALUE, OnFailure.COLLECT);
  }

  /// Waits for all to succeed; throws the first failure at once, which [#allSettled()] would
  /// return.
  public Outcomes<K, T> all() {
    return gather(Integer.MAX_VALUE, OnFailure.THROW);
  }

  /// Waits for the first to end, with a result or a failure, and returns its outcome; none if there
  /// are no awaitables.
  public Outcomes<K, T> race() {
    return gather(1, OnFailure.COUNT);
  }

  /// Waits for the first to end and returns its result, or throws its failure.
  ///
  /// @throws java.util.NoSuchElementException when there are none
  public T raceOrFail() {
    return gather(1, OnFailure.THROW).first();
  }

  /// Waits for the first to succeed: its result ([Outcomes#first()]) and the failures before it. If
  /// all fail: all failures and no result.
  public Outcomes<K, T> any() {
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

  // ---- short forms ----

  /// `Await.of(several).allSettled()`.
  public static <T extends @Nullable Object> Outcomes<Integer, T> allSettled(
      Iterable<? extends Awaitable<? extends T>> several) {
    return Await.<T>of(several).allSettled();
  }

  /// `Await.of(several).all()`: the results in the order of the input.
  public static <T extends @Nullable Object> List<T> all(
      Iterable<? extends Awaitable<? extends T>> several) {
    return Await.<T>of(several).all().values();
  }

  /// `Await.of(several).race()`.
  public static <T extends @Nullable Object> Outcomes<Integer, T> race(
      Iterable<? extends Awaitable<? extends T>> several) {
    return Await.<T>of(several).race();
  }

  /// `Await.of(several).raceOrFail()`.
  public static <T extends @Nullable Object> T raceOrFail(
      Iterable<? extends Awaitable<? extends T>> several) {
    return Await.<T>of(several).raceOrFail();
  }

  /// `Await.of(several).any()`.
  public static <T extends @Nullable Object> Outcomes<Integer, T> any(
      Iterable<? extends Awaitable<? extends T>> several) {
    return Await.<T>of(several).any();
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

  // the puller is in the waiter's scope: coroutines that the iterator spawns must outlive the wait
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
        self.cancelAndAwait(puller, "the wait it pulled for is over");
      }
    }
  }

  // an endless iterator that never suspends would otherwise starve the awaitables that it returns
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
