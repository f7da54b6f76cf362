// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

/// What a room above keeps for one loop.
public interface LoopService {
  /// The loop has ended: gives back what the process or the system holds for its sake. On the
  /// carrier, with no coroutine left; throws nothing.
  void loopEnded();
}
