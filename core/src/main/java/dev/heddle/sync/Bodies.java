// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Body;
import dev.heddle.CoroutineException;
import dev.heddle.internal.Rethrow;
import org.jspecify.annotations.Nullable;

/// Runs the code that users hand in.
final class Bodies {
  private Bodies() {}

  /// Runs `body`; a checked exception is thrown as [CoroutineException].
  static <T extends @Nullable Object> T run(Body<? extends T> body) {
    try {
      return body.run();
    } catch (Throwable e) {
      throw Rethrow.unchecked(CoroutineException.of(e));
    }
  }
}
