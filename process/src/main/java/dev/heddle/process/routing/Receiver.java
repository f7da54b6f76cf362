// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.routing;

import dev.heddle.process.SendResult;
import org.jspecify.annotations.Nullable;

/// Takes what is sent to one address.
@FunctionalInterface
public interface Receiver {
  /// Takes a message, or says why not. Any thread; never blocks.
  SendResult receive(@Nullable Object message);

  /// The runtime of its address has shut down: nobody sends to it any more. Any thread.
  default void closed() {}
}
