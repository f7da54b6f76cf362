// SPDX-License-Identifier: Apache-2.0
/// Entities: processes that are addressed by a key, on the node that owns the key's shard.
///
/// | enters | leaves |
/// |---|---|
/// | messages to a key, from processes here | the same, to the owner of its shard |
/// | messages of the same room of other nodes, session by session | answers, hand-offs |
/// | who owns which shard, from the roster | releases of shards, to the log |
///
/// Threads: `Shard`, `ShardSender` and `ShardOwner` are pure: one thread at a time, no clock, times
/// are arguments in nanoseconds of any monotonic clock. Read `Shard`, then `ShardOwner`.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster.shard;
