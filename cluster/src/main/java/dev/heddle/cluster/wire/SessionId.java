// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

/// The name of a session: two random numbers, one of each node.
///
/// @param first of the node whose name sorts first
/// @param second of the other node
public record SessionId(long first, long second) {
  /// Of a packet that belongs to no session yet.
  public static final SessionId NONE = new SessionId(0, 0);

  @Override
  public String toString() {
    return "%016x-%016x".formatted(first, second);
  }
}
