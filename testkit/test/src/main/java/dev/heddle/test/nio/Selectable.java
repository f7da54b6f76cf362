// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import dev.heddle.reactor.driver.Direction;
import java.nio.channels.SelectionKey;

/// A channel that a selector of a run watches.
interface Selectable {
  /// Which of these operations can go on now.
  ///
  /// @param interest operations, as a selection key has them
  int readyOps(int interest);

  /// What waits for the channel's descriptor.
  Waits waits();

  /// The operations that wait in a direction.
  static int ops(Direction direction) {
    return direction == Direction.READ
        ? SelectionKey.OP_READ | SelectionKey.OP_ACCEPT
        : SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT;
  }

  /// The operations of `interest` in whose direction the descriptor is ready.
  static int ready(Waits waits, int interest) {
    int ready = 0;
    for (Direction direction : Direction.values()) {
      if ((interest & ops(direction)) != 0 && waits.isReady(direction)) {
        ready |= interest & ops(direction);
      }
    }
    return ready;
  }
}
