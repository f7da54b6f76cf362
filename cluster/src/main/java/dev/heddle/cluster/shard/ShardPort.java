// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.process.SendResult;
import org.jspecify.annotations.Nullable;

/// What one shard of a node does to the world. No method waits or calls the shard.
interface ShardPort {
  /// The name of this node.
  String self();

  /// Whether a session with another node is open.
  boolean isInSession(String node);

  /// Sends a message to an entity to another node, if there is space now.
  SendResult send(String node, ShardMessage.Deliver message);

  /// Sends anything else to another node: in order, when there is space, unless the session ends
  /// before.
  void post(String node, ShardMessage message);

  /// Whether little that was posted to another node waits for space.
  boolean hasRoom(String node);

  /// Says in the log that this node acts for the shard no more.
  ///
  /// @param next the generation that follows
  void release(long next);

  /// Whether this node may act for what it owns: it holds its lease, in the admission within which
  /// it got the shard.
  boolean mayAct(long admission);

  /// Starts an entity.
  ///
  /// @param entity a number that this node uses once
  void start(long entity, String key, long generation, long admission);

  /// Gives a message to an entity that was started. [Shard#taken] follows, or the message is among
  /// those that the entity has left.
  ///
  /// @return false when it has no space
  boolean deliver(long entity, EntityMessage message);

  /// Asks an entity to end; [Shard#entityEnded] follows.
  void end(long entity, EntityEnd why);

  /// When an entity may be ended, if it is given no message until then: that much after the last
  /// one. Later than now, when it has not taken all.
  long idleAt(long entity, long nanos);

  /// The sender's word that its message is not delivered, or may be. At the node of the sender.
  ///
  /// @param cause of an entity that has failed
  void failed(EntityMessage message, Failure why, @Nullable String cause);

  /// The requests of this node.
  EntityAsks asks();

  /// Those that this node has of others.
  IncomingAsks incoming();

  /// What the shards of this node hold, together.
  HeldBytes held();

  /// Why an entity is to end.
  enum EntityEnd {
    /// It has nothing to do.
    IDLE,
    /// Its shard moves to another node.
    MOVE,
    /// This node owns its shard no more, or may not act for it.
    LOST
  }
}
