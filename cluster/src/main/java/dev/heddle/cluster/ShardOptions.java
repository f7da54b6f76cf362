// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.peer.Entry;
import dev.heddle.cluster.roster.Command.HostShards;
import dev.heddle.cluster.shard.ShardUse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What the shards of a name are. Immutable; all nodes use the same.
///
/// {@snippet class=dev.heddle.cluster.ShardsSnippetsTest region=shards}
///
/// @since 0.1
public final class ShardOptions {
  private static final int COUNT = 256;
  private static final Duration IDLE = Duration.ofMinutes(10);

  private final ShardUse use;

  private ShardOptions(ShardUse use) {
    this.use = use;
  }

  /// 256 shards, whose entities are ended after 10 min without a message.
  ///
  /// @param entry of the nodes that host them, by [ClusterOptions#entry]; nodes without it only
  ///   send
  public static ShardOptions entry(String entry) {
    return new ShardOptions(
        new ShardUse(COUNT, Objects.requireNonNull(entry, "entry"), IDLE, Map.of()));
  }

  /// Another number of shards. The first node that uses the name decides it for the whole cluster;
  /// with another number every key would have another shard.
  ///
  /// @param shards from 1 to 65,536; about ten for each node that there will ever be
  /// @throws IllegalArgumentException for any other number
  public ShardOptions count(int shards) {
    if (shards < 1 || shards > HostShards.MOST) {
      throw new IllegalArgumentException(
          "a name has 1 to %d shards, not %d".formatted(HostShards.MOST, shards));
    }
    return new ShardOptions(new ShardUse(shards, use.entry(), use.idle(), use.labels()));
  }

  /// Another time without a message after which an entity is asked to end. It is looked at some
  /// times a second.
  ///
  /// @param idle not negative
  /// @throws IllegalArgumentException when it is negative
  public ShardOptions passivateAfter(Duration idle) {
    if (idle.isNegative()) {
      throw new IllegalArgumentException("a time without messages is not negative: " + idle);
    }
    return new ShardOptions(new ShardUse(use.count(), use.entry(), idle, use.labels()));
  }

  /// Only nodes with a label host the shards; with several, those that have all of them.
  ///
  /// @param name of a label of [ClusterOptions#labels]
  public ShardOptions label(String name, String value) {
    Map<String, String> all = new HashMap<>(use.labels());
    all.put(name, Objects.requireNonNull(value, "value"));
    return new ShardOptions(new ShardUse(use.count(), use.entry(), use.idle(), all));
  }

  ShardUse use() {
    return use;
  }

  /// The entry of a node that hosts them; null at one that does not.
  @Nullable Entry host(ClusterOptions node) {
    boolean hasLabels = node.labels().entrySet().containsAll(use.labels().entrySet());
    return hasLabels ? node.entries().get(use.entry()) : null;
  }

  @Override
  public String toString() {
    return use.toString();
  }
}
