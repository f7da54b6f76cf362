// SPDX-License-Identifier: Apache-2.0
package dev.heddle.eventloop;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.reactor.driver.ReactorDriver;

/// Access to the driver of the current loop.
public final class LoopDriver {
  private LoopDriver() {}

  /// The driver, chosen now if that has not happened yet; throws outside a coroutine.
  public static ReactorDriver current() {
    return CoroutineNode.current().scheduler().reactor().driver();
  }
}
