// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

/// One life of a node: what the PIDs of its processes begin with.
///
/// @param node its name, not empty
/// @param host the name of its runtime, not empty
/// @param life the incarnation, not negative
public record NodeLife(String node, String host, int life) {
  /// @throws IllegalArgumentException when a name is empty or the life negative
  public NodeLife {
    if (node.isEmpty() || host.isEmpty() || life < 0) {
      throw new IllegalArgumentException(
          "a life of a node has two names and a number that is not negative: '%s', '%s', %d"
              .formatted(node, host, life));
    }
  }
}
