// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

/// Per-loop state of a higher room.
public interface LoopService {
  /// Called when the loop has ended: releases resources of the JVM or the system that were held for
  /// the loop. Runs on the carrier, with no coroutine left; throws nothing.
  void loopEnded();
}
