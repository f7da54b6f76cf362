// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.roster.ShardState;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.process.SendResult;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// One shard at one node: what is sent to it from here, and what it is here.
final class Shard {
  /*
   * A shard moves from node to node. The log says where it is:
   *
   *   sender's node                  old owner                    new owner
   *        |    the log: Moving(s, from, to, g')                       |
   *        | holds      |                 | asks entities to end       |
   *        |--- Flush ->|                 |                            |
   *        |<- Flushed -|                 |                            |
   *        |            |                 |-- Forward…, EndOfHandoff ->| waits for both: the
   *        |            |                 |<------- HandoffTaken ------| marker and the release
   *        |    the log: Released(s, g')  |                            |
   *        |------------------------------------------- Deliver(g') -->| acts
   *
   * A node sends to a shard as long as less than 1,000 messages of it, or 1 MiB, wait: at the owner
   * for their entities, on the way, or held here. The owner says what entities have taken (Taken).
   * For all shards of an owner it holds 8 MiB at most (HeldBytes).
   *
   * What a node sends to itself goes the same way, by a queue here. Each step follows from the
   * state of the log, of the sessions and of what is kept. A session loses nothing before it ends,
   * so within one nothing is repeated; its end starts the step anew. The log may lose a command, so
   * a release is repeated each second. The proof is a simulation: [ShardSimulationTest].
   */

  /// What waits for a shard at one node, at most: what 64 nodes may have sent. More is refused, and
  /// told: it comes of sessions that end again and again.
  static final int MOST = 64 * ShardWindow.DEFAULT.messages();

  static final long MOST_BYTES = 64L * ShardWindow.DEFAULT.bytes();

  private final ShardPort port;
  private final ShardSender sender;
  private final ShardOwner owner;
  private final Queue<ShardMessage> toSelf = new ArrayDeque<>(0);

  Shard(ShardPort port, ShardOwner.Numbers numbers, ShardWindow window) {
    this.port = port;
    ShardPort here = new Loopback();
    this.sender = new ShardSender(here, window);
    this.owner = new ShardOwner(here, numbers, window);
  }

  /// Sends a message from here.
  SendResult offer(EntityMessage message, long nanos) {
    SendResult result = sender.offer(message, nanos);
    settle(nanos);
    return result;
  }

  /// The log has another state of this shard. Call it from the first admission of this life on: an
  /// earlier state may name another life of this node as the owner.
  void view(ShardState changed, long nanos) {
    sender.view(changed);
    owner.view(changed, nanos);
    progress(nanos);
  }

  /// Another node says something.
  void received(String from, ShardMessage message, long nanos) {
    handle(from, message, nanos);
    progress(nanos);
  }

  private void handle(String from, ShardMessage message, long nanos) {
    switch (message) {
      case ShardMessage.Deliver it -> {
        if (it.message().ask() != 0) {
          port.incoming().arrived(it.message()); // before its asker gives it up
        }
        owner.deliver(from, it, nanos);
      }
      case ShardMessage.Bounced it -> sender.bounced(from, it);
      case ShardMessage.Failed(EntityMessage failed, Failure why, String cause) ->
          port.failed(failed, why, cause);
      case ShardMessage.Taken it -> sender.taken(from, it);
      case ShardMessage.HandedOver(EntityMessage request, String to, long next) ->
          handedOver(request.ask(), to, next);
      case ShardMessage.ReplyWanted(long ask) -> {
        if (!port.incoming().has(from, ask)) {
          port.post(from, new ShardMessage.NotHere(ask));
        }
      }
      case ShardMessage.NotHere(long ask) -> port.asks().notAt(ask, from);
      case ShardMessage.Flush it -> owner.flush(from, it, nanos);
      case ShardMessage.Flushed(long generation) -> sender.flushed(from, generation);
      case ShardMessage.Forward it -> owner.forward(from, it);
      case ShardMessage.EndOfHandoff(long next) -> owner.endOfHandoff(from, next, nanos);
      case ShardMessage.HandoffTaken it -> owner.handoffTaken(from, it);
    }
  }

  /// A request of this node is elsewhere now.
  private void handedOver(long ask, String to, long next) {
    if (!port.asks().handedOver(ask, to, next) || to.equals(port.self())) {
      return;
    }
    if (port.isInSession(to)) {
      port.post(to, new ShardMessage.ReplyWanted(ask));
    } else {
      port.asks().lost(ask, to);
    }
  }

  /// The session with another node has ended.
  void sessionEnded(String node, long nanos) {
    sender.sessionEnded(node);
    owner.sessionEnded(node);
    progress(nanos);
  }

  /// An entity has ended.
  ///
  /// @param unread what it has not taken, oldest first
  /// @param failure why it has ended without taking anything; null when it has taken something, or
  ///   was ended
  void entityEnded(long entity, List<EntityMessage> unread, @Nullable String failure, long nanos) {
    owner.entityEnded(entity, unread, failure, nanos);
    progress(nanos);
  }

  /// An entity here has taken a message.
  void taken(EntityMessage message, long nanos) {
    owner.taken(message);
    settle(nanos);
  }

  /// The mailbox of an entity here has no space for a message.
  void refused(EntityMessage message, long nanos) {
    owner.refused(message);
    settle(nanos);
  }

  /// Nothing is sent to it any more: this cluster uses it in another way than this node.
  void refuse() {
    sender.refuse();
  }

  /// When to call [#progress], unless something happens before: at once, while the shard moves or
  /// messages are held here.
  ///
  /// @param never a time that does not come
  long due(long nanos, long never) {
    return sender.size() != 0 ? nanos : owner.due(nanos, never);
  }

  /// Does what is due: see [#due]; called when a session opens, too, and when the lease begins or
  /// ends.
  void progress(long nanos) {
    owner.progress(nanos);
    sender.progress(nanos);
    settle(nanos);
  }

  private void settle(long nanos) {
    for (ShardMessage next = toSelf.poll(); next != null; next = toSelf.poll()) {
      handle(port.self(), next, nanos);
      owner.progress(nanos);
      sender.progress(nanos);
    }
  }

  ShardOwner owner() {
    return owner;
  }

  ShardSender sender() {
    return sender;
  }

  /// The port, with what goes to this node itself.
  private final class Loopback implements ShardPort {
    @Override
    public String self() {
      return port.self();
    }

    @Override
    public boolean isInSession(String node) {
      return node.equals(port.self()) || port.isInSession(node);
    }

    @Override
    public SendResult send(String node, ShardMessage.Deliver message) {
      if (node.equals(port.self())) {
        toSelf.add(message);
        return SendResult.ACCEPTED;
      }
      return port.send(node, message);
    }

    @Override
    public void post(String node, ShardMessage message) {
      if (node.equals(port.self())) {
        toSelf.add(message);
        return;
      }
      port.post(node, message);
      switch (message) { // after it: what is not here any more is told in this order
        case ShardMessage.Bounced(_, EntityMessage it) -> port.incoming().gone(it);
        case ShardMessage.Failed(EntityMessage it, _, _) -> port.incoming().gone(it);
        case ShardMessage.HandedOver(EntityMessage it, String to, _) -> {
          if (!to.equals(port.self())) { // else it waits here for the next generation
            port.incoming().gone(it);
          }
        }
        default -> {}
      }
    }

    @Override
    public boolean hasRoom(String node) {
      return node.equals(port.self()) || port.hasRoom(node);
    }

    @Override
    public void release(long next) {
      port.release(next);
    }

    @Override
    public boolean mayAct(long admission) {
      return port.mayAct(admission);
    }

    @Override
    public void start(long entity, String key, long generation, long admission) {
      port.start(entity, key, generation, admission);
    }

    @Override
    public boolean deliver(long entity, EntityMessage message) {
      return port.deliver(entity, message);
    }

    @Override
    public void end(long entity, EntityEnd why) {
      port.end(entity, why);
    }

    @Override
    public long idleAt(long entity, long nanos) {
      return port.idleAt(entity, nanos);
    }

    @Override
    public void failed(EntityMessage message, Failure why, @Nullable String cause) {
      port.failed(message, why, cause);
    }

    @Override
    public EntityAsks asks() {
      return port.asks();
    }

    @Override
    public IncomingAsks incoming() {
      return port.incoming();
    }

    @Override
    public HeldBytes held() {
      return port.held();
    }
  }
}
