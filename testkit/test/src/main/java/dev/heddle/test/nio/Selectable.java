// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import dev.heddle.reactor.driver.Direction;
import java.nio.channels.SelectionKey;

/// A channel that a selector of a run watches.
interface Selectable {
  /// Which operations the channel has in its state: one that was never connected has none.
  int possibleOps();

  /// What waits for the channel's descriptor.
  Waits waits();

  /// The operations that wait in a direction.
  static int ops(Direction direction) {
    return direction == Direction.READ
        ? SelectionKey.OP_READ | SelectionKey.OP_ACCEPT
        : SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT;
  }

  /// Which of these operations can go on now.
  ///
  /// @param interest operations, as a selection key has them
  default int readyOps(int interest) {
    int ready = 0;
    for (Direction direction : Direction.values()) {
      int wanted = interest & possibleOps() & ops(direction);
      if (wanted != 0 && waits().isReady(direction)) {
        ready |= wanted;
      }
    }
    return ready;
  }
}
