// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

/// Whether a node is in touch.
///
/// @since 0.1
public enum NodeState {
  /// there is a session with it
  UP,
  /// the same, and this node leaves
  LEAVING,
  /// it was never in touch, and is greeted
  GREETING,
  /// the session with it has ended; it may be alive
  LOST,
  /// it has left
  LEFT
}
