// SPDX-License-Identifier: Apache-2.0
package dev.heddle.eventloop;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.reactor.driver.ReactorDriver;

/// The driver of the current loop.
public final class LoopDriver {
  private LoopDriver() {}

  /// The driver in force. Where the choice was put off until something is opened, it is made now.
  ///
  /// @throws IllegalStateException outside a coroutine
  public static ReactorDriver current() {
    return CoroutineNode.current().scheduler().reactor().driver();
  }
}
