// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import java.time.Duration;
import java.util.Map;

/// How a node uses the shards of a name.
///
/// @param count of the shards; the same in the whole cluster
/// @param entry of the nodes that host them
/// @param idle after which an entity without messages is ended
/// @param labels of the nodes that host them
public record ShardUse(int count, String entry, Duration idle, Map<String, String> labels) {
  /// Copies the labels.
  public ShardUse {
    labels = Map.copyOf(labels);
  }

  @Override
  public String toString() {
    return "%d shards of entry '%s', passivated after %s%s"
        .formatted(count, entry, idle, labels.isEmpty() ? "" : ", at nodes with " + labels);
  }
}
