// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import org.jspecify.annotations.Nullable;

/// What the nodes tell each other about one shard, in the order of their session.
sealed interface ShardMessage {
  /// To the owner of a generation.
  record Deliver(long generation, EntityMessage message) implements ShardMessage {}

  /// To the node of the sender: that generation is over here, and no entity has got the message.
  record Bounced(long generation, EntityMessage message) implements ShardMessage {}

  /// To the node of the sender: the message is not delivered, or nobody knows whether it was.
  ///
  /// @param cause of an entity that has failed, as text
  record Failed(EntityMessage message, Failure why, @Nullable String cause)
      implements ShardMessage {
    Failed(EntityMessage message, Failure why) {
      this(message, why, null);
    }
  }

  /// To the node of the sender: so much of what it has sent to a generation waits there no more.
  record Taken(long generation, int count, long bytes) implements ShardMessage {}

  /// To the node of the sender of a request: another node has it now.
  ///
  /// @param next the generation of that node
  record HandedOver(EntityMessage message, String to, long next) implements ShardMessage {}

  /// To a node that was said to have a request: its reply is wanted in this session.
  record ReplyWanted(long ask) implements ShardMessage {}

  /// The answer, when that node has not got the request and has not said more of it in this
  /// session.
  record NotHere(long ask) implements ShardMessage {}

  /// To the owner of a generation, after the last message for it.
  ///
  /// @param isOver whether the log says that the generation is over; else its shard moves
  record Flush(long generation, boolean isOver) implements ShardMessage {}

  /// The answer to a flush: what was sent before it is delivered, will be handed over, or has been
  /// bounced.
  record Flushed(long generation) implements ShardMessage {}

  /// To the next owner: a message that no entity has got.
  record Forward(long next, EntityMessage message) implements ShardMessage {}

  /// To the next owner: all messages were forwarded.
  record EndOfHandoff(long next) implements ShardMessage {}

  /// The answer to the end of a hand-off.
  ///
  /// @param isInTime false when the generation had begun without what was forwarded
  record HandoffTaken(long next, boolean isInTime) implements ShardMessage {}

  /// Why a message fails.
  enum Failure {
    /// Too many wait for the entity or its shard.
    FULL,
    /// It was on its way from one owner to another when one of them ended: it may be delivered.
    LOST,
    /// The entity has failed before it took a message.
    ENTITY_FAILED,
    /// It cannot be decoded where it has come to, or not be encoded for the next node.
    UNREADABLE,
    /// This cluster uses the shards of that name in another way than the node of the sender.
    REFUSED
  }
}
