// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

/// Which entity a process is: the input that it is started with.
///
/// @param type the name of the shards that it belongs to
/// @param key within them
/// @param token of the ownership of its shard: it grows with each owner. A resource outside that
///   remembers the highest token it has seen, and refuses lower ones, refuses an entity that a
///   paused node has not ended yet
///
///   {@snippet class=dev.heddle.cluster.ShardsSnippetsTest region=entity}
///
/// @since 0.1
public record EntityId(String type, String key, long token) {}
