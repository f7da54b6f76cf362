// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.routing;

import dev.heddle.process.SendResult;
import org.jspecify.annotations.Nullable;

/// Receives the messages sent to one address.
@FunctionalInterface
public interface Receiver {
  /// Accepts a message, or returns why not. Any thread; never blocks.
  SendResult receive(@Nullable Object message);

  /// Called when the runtime of its address has shut down. Any thread.
  default void closed() {}
}
