// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.CoroutineWatch;
import dev.heddle.coroutine.tree.ScopeNode;
import dev.heddle.reactor.ReactorTrace;
import dev.heddle.scheduler.SwitchTrace;
import dev.heddle.scheduler.Waker;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import org.jspecify.annotations.Nullable;

/// Is called of all that coroutines of a loop do: a trace, a flight recording, accounts.
///
/// A loop has none, one, or several, which are called one after the other. What an observer does
/// not need, it leaves as it is here.
///
/// **Thread** the loop's; never waits, and calls no user code.
public interface LoopObserver extends SwitchTrace, ReactorTrace, CoroutineWatch {
  @Override
  default void spawned(CoroutineNode<?> coroutine) {
    coroutine.trace();
  }

  @Override
  default void left(CoroutineNode<?> coroutine) {}

  @Override
  default void ended(CoroutineNode<?> coroutine) {}

  @Override
  default void woken(Occupant coroutine, WokenBy by) {}

  @Override
  default void arrived(ExecutionContext context) {}

  @Override
  default void stayed(Occupant coroutine) {}

  @Override
  default void cancelled(Occupant coroutine) {}

  @Override
  default void worked() {}

  @Override
  default void sleeps() {}

  @Override
  default void polled(boolean slept, int notified) {}

  @Override
  default void expired(long deadline) {}

  @Override
  default void loopEnds() {}

  /// Adds an observer to a loop; each of its coroutines is visited. On the trampoline, or before
  /// the loop runs.
  static void add(CoroutineTree tree, LoopObserver added) {
    LoopObserver before = of(tree);
    set(tree, before == null ? added : new Both(before, added));
    ScopeNode root = tree.root();
    for (ScopeNode s = root; s != null; s = s.nextIn(root, true)) {
      s.forEachMember(Waker::trace);
    }
  }

  /// Removes one. On the trampoline. Without any, each coroutine finds that out when it is called
  /// next.
  static void remove(CoroutineTree tree, LoopObserver removed) {
    set(tree, without(of(tree), removed));
  }

  /// Those of a loop; null: none.
  static @Nullable LoopObserver of(CoroutineTree tree) {
    return (LoopObserver) tree.scheduler().trace();
  }

  /// The first one of a kind; null: none.
  static <O extends LoopObserver> @Nullable O find(@Nullable LoopObserver among, Class<O> kind) {
    if (among instanceof Both(LoopObserver one, LoopObserver other)) {
      O found = find(one, kind);
      return found == null ? find(other, kind) : found;
    }
    return kind.isInstance(among) ? kind.cast(among) : null;
  }

  private static void set(CoroutineTree tree, @Nullable LoopObserver all) {
    tree.scheduler().setTrace(all);
    tree.scheduler().reactor().setTrace(all);
    tree.setTracing(all);
  }

  private static @Nullable LoopObserver without(
      @Nullable LoopObserver among, LoopObserver removed) {
    if (among instanceof Both(LoopObserver one, LoopObserver other)) {
      LoopObserver left = without(one, removed);
      LoopObserver right = without(other, removed);
      return left == null ? right : right == null ? left : new Both(left, right);
    }
    return among == removed ? null : among;
  }

  /// Two that are called one after the other.
  record Both(LoopObserver one, LoopObserver other) implements LoopObserver {
    @Override
    public void spawned(CoroutineNode<?> coroutine) {
      coroutine.trace();
      one.spawned(coroutine);
      other.spawned(coroutine);
    }

    @Override
    public void ended(CoroutineNode<?> coroutine) {
      one.ended(coroutine);
      other.ended(coroutine);
    }

    @Override
    public void entered(Occupant coroutine) {
      one.entered(coroutine);
      other.entered(coroutine);
    }

    @Override
    public void left(Occupant coroutine, boolean inTheJdk, boolean yields) {
      one.left(coroutine, inTheJdk, yields);
      other.left(coroutine, inTheJdk, yields);
    }

    @Override
    public void stayed(Occupant coroutine) {
      one.stayed(coroutine);
      other.stayed(coroutine);
    }

    @Override
    public void woken(Occupant coroutine, WokenBy by) {
      one.woken(coroutine, by);
      other.woken(coroutine, by);
    }

    @Override
    public void arrived(ExecutionContext context) {
      one.arrived(context);
      other.arrived(context);
    }

    @Override
    public void cancelled(Occupant coroutine) {
      one.cancelled(coroutine);
      other.cancelled(coroutine);
    }

    @Override
    public void ended(Occupant coroutine, boolean ran) {
      one.ended(coroutine, ran);
      other.ended(coroutine, ran);
    }

    @Override
    public void worked() {
      one.worked();
      other.worked();
    }

    @Override
    public void sleeps() {
      one.sleeps();
      other.sleeps();
    }

    @Override
    public void polled(boolean slept, int notified) {
      one.polled(slept, notified);
      other.polled(slept, notified);
    }

    @Override
    public void expired(long deadline) {
      one.expired(deadline);
      other.expired(deadline);
    }

    @Override
    public void loopEnds() {
      one.loopEnds();
      other.loopEnds();
    }
  }
}
