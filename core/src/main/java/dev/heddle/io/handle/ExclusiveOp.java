// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// What one coroutine does with a direction of a handle while it has it to itself.
///
/// @param <T> what comes of it
@FunctionalInterface
interface ExclusiveOp<T extends @Nullable Object> {
  /// Does it, as the coroutine `self`.
  T run(CoroutineNode<?> self) throws IOException;
}
