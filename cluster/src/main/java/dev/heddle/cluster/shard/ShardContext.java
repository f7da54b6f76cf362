// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.EntityId;
import dev.heddle.cluster.NotDeliveredException;
import dev.heddle.cluster.NotDeliveredException.Why;
import dev.heddle.cluster.name.RosterAccess;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.cluster.shard.ShardMessageCodec.Answer;
import dev.heddle.cluster.shard.ShardMessageCodec.AskFailed;
import dev.heddle.cluster.shard.ShardMessageCodec.GiveUp;
import dev.heddle.cluster.shard.ShardMessageCodec.OfShard;
import dev.heddle.cluster.shard.ShardMessageCodec.Packet;
import dev.heddle.cluster.wire.Failures;
import dev.heddle.cluster.wire.Limits;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.Process;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.remote.LocalProcesses;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What the shards of all types at this node share: sessions, log, processes, and the requests that
/// are open. Any thread.
final class ShardContext implements EntityType.Node, LocalEntity.Listener {
  private final NodeLife self;
  private final LocalProcesses local;
  private final RosterAccess log;
  private final MessageWriter writer;
  private final ShardPeers peers;
  private final ShardLog report;
  private final Function<String, @Nullable EntityType> types;
  private final Queue<Runnable> decided = new ConcurrentLinkedQueue<>(); // under locks, done after
  private final EntityAsks asks;
  private final IncomingAsks incoming;
  private final HeldBytes held = new HeldBytes(HeldBytes.MOST);
  private final AtomicLong lastEntity = new AtomicLong();
  private volatile BiConsumer<EntityMessage, Failure> onFailed = (_, _) -> {}; // for tests

  ShardContext(
      NodeLife self,
      LocalProcesses local,
      RosterAccess log,
      MessageWriter writer,
      ShardPeers peers,
      ShardLog report,
      Function<String, @Nullable EntityType> types) {
    this.self = self;
    this.local = local;
    this.log = log;
    this.writer = writer;
    this.peers = peers;
    this.report = report;
    this.types = types;
    this.asks = new EntityAsks(self.life(), this::giveUp, decided::add);
    this.incoming = new IncomingAsks(self.node());
  }

  /// Has something done when no lock is held.
  void later(Runnable action) {
    decided.add(action);
  }

  void onFailed(BiConsumer<EntityMessage, Failure> listener) {
    onFailed = listener;
  }

  private void giveUp(@Nullable String at, long ask) {
    if (at == null || at.equals(self.node())) {
      incoming.givenUp(self.node(), ask);
    } else {
      peers.say(at, new GiveUp(ask));
    }
  }

  @Override
  public String self() {
    return self.node();
  }

  @Override
  public boolean isInSession(String node) {
    return peers.isOpen(node);
  }

  @Override
  public SendResult send(String node, String type, int shard, ShardMessage.Deliver message) {
    return peers.send(node, new OfShard(type, shard, message));
  }

  @Override
  public void post(String node, String type, int shard, ShardMessage message) {
    if (message instanceof ShardMessage.Failed it) {
      onFailed.accept(it.message(), it.why());
    }
    peers.post(node, new OfShard(type, shard, message));
  }

  @Override
  public boolean hasRoom(String node) {
    return peers.hasRoom(node);
  }

  @Override
  public void release(String type, int shard, long next) {
    decided.add(() -> {
      List<Command.Release> one = List.of(new Command.Release(shard, next));
      log.submit(new Command.ReleaseShards(self.node(), log.admission(), type, one));
    });
  }

  @Override
  public boolean mayAct(long admission) {
    return log.mayAct(admission);
  }

  @Override
  public long nextEntity() {
    return lastEntity.incrementAndGet();
  }

  @Override
  public LocalEntity entity(
      long number, int shard, EntityId id, Process process, StartOptions options) {
    return new LocalEntity(number, shard, id, local, process, options, this, System.nanoTime());
  }

  @Override
  public void failed(EntityMessage message, Failure why, @Nullable String cause, String type) {
    onFailed.accept(message, why);
    if (message.ask() == 0) {
      report.failed(why);
      return;
    }
    String what =
        "the request to '%s' of '%s': %s%s"
            .formatted(message.key(), type, why, cause == null ? "" : ": " + cause);
    NotDeliveredException failure =
        new NotDeliveredException(
            what,
            switch (why) {
              case LOST -> Why.LOST;
              case FULL -> Why.FULL;
              case ENTITY_FAILED, UNREADABLE, REFUSED -> Why.REFUSED;
            });
    asks.failLater(message.ask(), failure);
  }

  @Override
  public EntityAsks asks() {
    return asks;
  }

  @Override
  public IncomingAsks incoming() {
    return incoming;
  }

  @Override
  public HeldBytes held() {
    return held;
  }

  @Override
  public void carryOut() {
    for (Runnable next = decided.poll(); next != null; next = decided.poll()) {
      next.run();
    }
    peers.drain();
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public void taken(LocalEntity entity) {
    EntityType type = types.apply(entity.type());
    if (type != null) {
      type.taken(entity);
    }
  }

  @Override
  public void refused(LocalEntity entity) {
    taken(entity);
  }

  @Override
  public void tookOne(LocalEntity entity) {
    EntityType type = types.apply(entity.type());
    if (type != null) {
      type.tookOne(entity);
    }
  }

  @Override
  public void ended(LocalEntity entity) {
    Throwable failure = entity.failed();
    if (failure != null) {
      report.failed(entity, failure);
    }
    EntityType type = types.apply(entity.type());
    if (type != null) {
      type.ended(entity);
    }
  }

  @Override
  public void asked(
      EntityMessage message, LocalEntity entity, CompletableFuture<@Nullable Object> reply) {
    incoming.begun(message, entity.number, reply);
    if (!isWanted(message)) { // it was given up meanwhile
      incoming.givenUp(message.origin(), message.ask());
    }
  }

  @Override
  public boolean isWanted(EntityMessage message) {
    return message.origin().equals(self.node())
        ? asks.isOpen(message.ask())
        : incoming.has(message.origin(), message.ask());
  }

  @Override
  public void notTaken(EntityMessage message, CompletableFuture<@Nullable Object> reply) {
    incoming.notTaken(message, reply);
  }

  @Override
  public void replied(EntityMessage message, @Nullable Object result, @Nullable Throwable failure) {
    if (!incoming.has(message.origin(), message.ask())) {
      return; // it was given up
    }
    reply(message, result, failure);
    incoming.replied(message); // after it: what is not here any more was told
  }

  private void reply(EntityMessage message, @Nullable Object result, @Nullable Throwable failure) {
    if (message.origin().equals(self.node())) {
      if (failure == null) {
        asks.complete(message.ask(), result);
      } else {
        asks.fail(message.ask(), failure);
      }
    } else {
      peers.say(message.origin(), answer(message.ask(), result, failure));
    }
  }

  private Packet answer(long ask, @Nullable Object result, @Nullable Throwable failure) {
    Throwable why = failure;
    if (why == null) {
      try {
        byte[] content = writer.encode(result);
        if (content.length <= Limits.MESSAGE_BYTES - ShardMessageCodec.ANSWER_BYTES) {
          return new Answer(ask, content);
        }
        why = new NotSendableException("a reply is too large: %d bytes".formatted(content.length));
      } catch (NotSendableException e) {
        why = e;
      }
    }
    return new AskFailed(ask, Failures.text(why));
  }
}
