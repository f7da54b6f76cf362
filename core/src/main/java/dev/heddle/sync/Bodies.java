// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.CoroutineException;
import dev.heddle.internal.Rethrow;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Runs the code that users hand in.
final class Bodies {
  private Bodies() {}

  /// An action, as a body that returns null.
  static Body<@Nullable Void> of(Action action) {
    Objects.requireNonNull(action, "action");
    return () -> {
      action.run();
      return null;
    };
  }

  /// Runs `body`; a checked exception is thrown as [CoroutineException].
  static <T extends @Nullable Object> T run(Body<? extends T> body) {
    try {
      return body.run();
    } catch (Throwable e) {
      throw Rethrow.unchecked(CoroutineException.of(e));
    }
  }
}
