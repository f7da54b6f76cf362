// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import org.jspecify.annotations.Nullable;

/// Is called of what coroutines do, while an observer watches their loop.
///
/// **Thread** the loop's; never waits, and calls no user code.
public interface CoroutineWatch {
  /// A coroutine is about to join the tree.
  void spawned(CoroutineNode<?> coroutine);

  /// A coroutine leaves the carrier, to wait or because the JDK has parked it, for the first time
  /// since [CoroutineNode#watchNextLeave()].
  void left(CoroutineNode<?> coroutine);

  /// A coroutine has ended.
  void ended(CoroutineNode<?> coroutine);

  /// One that calls both; null if both are.
  static @Nullable CoroutineWatch both(
      @Nullable CoroutineWatch one, @Nullable CoroutineWatch other) {
    return one == null ? other : other == null ? one : new Both(one, other);
  }

  /// Two that are called one after the other.
  record Both(CoroutineWatch one, CoroutineWatch other) implements CoroutineWatch {
    @Override
    public void spawned(CoroutineNode<?> coroutine) {
      one.spawned(coroutine);
      other.spawned(coroutine);
    }

    @Override
    public void left(CoroutineNode<?> coroutine) {
      one.left(coroutine);
      other.left(coroutine);
    }

    @Override
    public void ended(CoroutineNode<?> coroutine) {
      one.ended(coroutine);
      other.ended(coroutine);
    }
  }
}
