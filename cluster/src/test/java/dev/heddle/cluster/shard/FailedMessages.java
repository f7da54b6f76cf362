// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.shard.ShardMessage.Failure;

/// Which messages without a reply have failed, as a node finds or is told: for tests of other
/// rooms.
public interface FailedMessages {
  /// A message has failed after it was accepted.
  ///
  /// @param message null at the node that has sent it, when another one has found it: that word has
  ///   no content
  /// @param mayBeDelivered whether an entity may have got it nevertheless
  void failed(String key, Object message, boolean mayBeDelivered);

  /// Has a listener called for each, under the lock of a shard.
  static void of(ShardService shards, FailedMessages listener) {
    shards.onFailed((message, why) ->
        listener.failed(message.key(), Payload.of(message).value(), why == Failure.LOST));
  }
}
