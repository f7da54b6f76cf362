// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// An operation of the coroutine that holds a direction of a handle.
///
/// @param <T> type of the result
@FunctionalInterface
interface ExclusiveOp<T extends @Nullable Object> {
  /// Runs in the coroutine `self`.
  T run(CoroutineNode<?> self) throws IOException;
}
