// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

/// How much of one node may wait for one shard: held there, on its way, or at the owner for its
/// entities.
record ShardWindow(int messages, int bytes) {
  static final ShardWindow DEFAULT = new ShardWindow(1_000, 1 << 20);
}
