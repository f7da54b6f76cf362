// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

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
}
