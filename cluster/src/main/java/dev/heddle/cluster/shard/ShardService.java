// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.name.RosterAccess;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.ShardPlan;
import dev.heddle.cluster.shard.ShardMessage.Failed;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.cluster.shard.ShardMessageCodec.Answer;
import dev.heddle.cluster.shard.ShardMessageCodec.AskFailed;
import dev.heddle.cluster.shard.ShardMessageCodec.GiveUp;
import dev.heddle.cluster.shard.ShardMessageCodec.OfShard;
import dev.heddle.cluster.shard.ShardMessageCodec.Packet;
import dev.heddle.cluster.shard.ShardMessageCodec.UnreadableException;
import dev.heddle.cluster.wire.Failures;
import dev.heddle.cluster.wire.Limits;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.UndecodableMessageException;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.Process;
import dev.heddle.process.SendResult;
import dev.heddle.process.remote.LocalProcesses;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The shards of all types at this node, with what they need of the node: sessions, the log, the
/// lease, processes.
///
/// **Thread** any for sending; [#applied] and [#tick] are called by one thread at a time, those
/// about sessions by the threads of the sessions. Nothing waits.
public final class ShardService implements RosterAccess.Part {
  /*
   * Sessions. A message of a new session may come before the node reports the end of the last one.
   * So at each message, report and tick the session that the node has is compared with the one that
   * is known here, and the shards are told of an end first. What was posted for the old one is
   * dropped with it (ShardPeers).
   *
   * Hosts. A node says in the log that it hosts a type; it says so again each second until the log
   * has it, since a command may be lost.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.shard");

  private static final long REPEAT_NANOS = 1_000_000_000L;

  /// A node that leaves waits so long for messages of nodes that have not heard of it yet: it gives
  /// them back, while they would end with the session.
  private static final long LEAVE_NANOS = 1_000_000_000L;

  /// A request to an entity here.
  private record Asked(String origin, long ask) {}

  private final NodeLife self;
  private final LocalProcesses local;
  private final RosterAccess log;
  private final MessageWriter writer;
  private final Function<String, @Nullable RemoteNode> sessions;
  private final ShardPeers peers;
  private final EntityAsks asks = new EntityAsks(this::giveUp);
  private final ConcurrentMap<Asked, CompletableFuture<@Nullable Object>> asked =
      new ConcurrentHashMap<>(); // of entities here
  private final ConcurrentMap<String, EntityType> types = new ConcurrentHashMap<>();
  private final Shared shared = new Shared();
  private final AtomicLong lastEntity = new AtomicLong();
  private final Queue<Runnable> decided = new ConcurrentLinkedQueue<>(); // under locks, done after
  private final ReentrantLock changing = new ReentrantLock(); // only threads of the cluster take it

  // written by the thread of applied() and tick()
  private final ShardPlan plan = new ShardPlan();
  private boolean isAdmitted;
  private long hostedAt;
  private boolean hasHosted;
  private final Set<String> mismatched = new HashSet<>();

  // any thread
  private volatile boolean isWithdrawn;
  private volatile long lastDelivered = System.nanoTime(); // by another node
  private final CompletableFuture<@Nullable Void> released = new CompletableFuture<>();
  private final ConcurrentMap<Failure, Long> failures = new ConcurrentHashMap<>();
  private long failuresLogged;

  /// @param sessions the open session with a node, by its name
  public ShardService(
      NodeLife self,
      LocalProcesses local,
      RosterAccess log,
      MessageWriter writer,
      Function<String, @Nullable RemoteNode> sessions) {
    this.self = self;
    this.local = local;
    this.log = log;
    this.writer = writer;
    this.sessions = sessions;
    this.peers = new ShardPeers(writer, this::unsendable);
  }

  // ---- types ----

  /// Uses a type of shards; hosts them, with an entry.
  ///
  /// @param entry makes the processes; null when this node hosts none
  /// @param idle after which an entity without messages is ended
  /// @throws IllegalArgumentException when the type is used here with other values
  public void open(
      String name, int count, @Nullable Supplier<? extends Process> entry, Duration idle) {
    checkName(name);
    EntityType type = new EntityType(name, count, entry, idle.toNanos(), shared);
    EntityType known = types.putIfAbsent(name, type);
    if (known != null && (known.count != count || known.isHost() != (entry != null))) {
      throw new IllegalArgumentException(
          "shards '%s' are used here with %d shards, and not %d"
              .formatted(name, known.count, count));
    }
  }

  private static void checkName(String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > Limits.NAME_BYTES) {
      throw new IllegalArgumentException(
          "a name or key has 1 to %d bytes, not %d".formatted(Limits.NAME_BYTES, bytes));
    }
  }

  /// How many entities of a type run here.
  public int running(String type) {
    EntityType it = types.get(type);
    return it == null ? 0 : it.running();
  }

  /// How many messages of this node have failed after they were accepted.
  public long failed() {
    return failures.values().stream().mapToLong(it -> it).sum();
  }

  // ---- messages ----

  /// Sends a message to an entity.
  ///
  /// @throws NotSendableException when it cannot be encoded, wherever the entity is
  public SendResult offer(String type, String key, @Nullable Object message) {
    return typeOf(type).offer(messageOf(key, 0, message));
  }

  /// Sends a request to an entity.
  ///
  /// @return fails with a [NotDeliveredException], or with what the entity replies; to cancel it
  ///   gives up
  /// @throws NotSendableException when it cannot be encoded, wherever the entity is
  public CompletableFuture<@Nullable Object> ask(
      String type, String key, @Nullable Object message) {
    EntityType to = typeOf(type);
    EntityMessage checked = messageOf(key, 0, message);
    long ask = asks.begin();
    CompletableFuture<@Nullable Object> answer = asks.answer(ask);
    SendResult result =
        to.offer(new EntityMessage(checked.origin(), key, ask, checked.message(), checked.bytes()));
    if (!result.isAccepted()) {
      asks.fail(
          ask,
          NotDeliveredException.refused(
              "the request to '%s' of '%s' was not sent: %s".formatted(key, type, result)));
    }
    return answer;
  }

  private void giveUp(@Nullable String at, long ask) {
    if (at == null) {
      givenUp(self.node(), ask);
    } else {
      peers.post(at, new GiveUp(ask));
      peers.drain();
    }
  }

  private void givenUp(String origin, long ask) {
    CompletableFuture<@Nullable Object> reply = asked.remove(new Asked(origin, ask));
    if (reply != null) {
      reply.cancel(false);
    }
  }

  private EntityType typeOf(String name) {
    EntityType type = types.get(name);
    if (type == null) {
      throw new IllegalArgumentException("no shards '%s' are used here".formatted(name));
    }
    return type;
  }

  private EntityMessage messageOf(String key, long ask, @Nullable Object message) {
    checkName(key);
    byte[] content = writer.encode(message);
    if (content.length > Limits.MESSAGE_BYTES - ShardMessageCodec.HEADER_BYTES) {
      throw new NotSendableException(
          "a message to an entity has at most %d bytes, not %d"
              .formatted(Limits.MESSAGE_BYTES - ShardMessageCodec.HEADER_BYTES, content.length));
    }
    int bytes = ShardMessageCodec.sizeOf(key, content.length);
    return new EntityMessage(self.node(), key, ask, new Payload(message, content), bytes);
  }

  // ---- sessions ----

  /// Compares the session with a node with the one that is known.
  public void sessionChanged(String node) {
    changing.lock();
    try {
      RemoteNode now = sessions.apply(node);
      RemoteNode known = peers.session(node);
      if (now == known) {
        return;
      }
      peers.set(node, now);
      if (known != null) {
        types.values().forEach(type -> type.sessionEnded(node));
        decided.add(() -> asks.sessionEnded(node));
      }
    } finally {
      changing.unlock();
    }
    types.values().forEach(EntityType::progress);
    shared.carryOut();
  }

  /// Another node says something; in the order of its session.
  public void received(NodeLife from, byte[] content) {
    sessionChanged(from.node());
    RemoteNode session = peers.session(from.node());
    if (session == null || !session.isDelivering()) {
      return; // it has ended
    }
    try {
      received(
          session, ShardMessageCodec.decode(content, (head, bytes) -> read(session, head, bytes)));
    } catch (UnreadableException e) {
      fail(e.failed, e.head, Failure.UNREADABLE);
    } catch (IllegalArgumentException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "node '%s': ignored what '%s' says about shards: %s"
              .formatted(self.node(), from.node(), e.getMessage()));
    }
    shared.carryOut();
  }

  private Payload read(RemoteNode session, EntityMessage head, byte[] content)
      throws UndecodableMessageException {
    Object value = session.decode(content);
    boolean isOwn = head.origin().equals(self.node()); // it comes back, and may be sent again
    return new Payload(value, isOwn ? writer.encode(value) : null);
  }

  private void received(RemoteNode session, Packet packet) {
    String from = session.other().node();
    switch (packet) {
      case OfShard it -> received(session, from, it);
      case GiveUp(long ask) -> givenUp(from, ask);
      case AskFailed(long ask, var failure) -> asks.fail(ask, Failures.of(from, failure));
      case Answer(long ask, byte[] content) -> {
        try {
          asks.complete(ask, session.decode(content));
        } catch (UndecodableMessageException e) {
          asks.fail(ask, e);
        }
      }
    }
  }

  /// Before the end of the session, or not at all.
  private void received(RemoteNode session, String from, OfShard it) {
    if (it.message() instanceof ShardMessage.Deliver) {
      lastDelivered = System.nanoTime();
    }
    EntityType type = types.get(it.type());
    if (type == null || it.shard() < 0 || it.shard() >= type.count) {
      ShardMessage answer = refusal(it.message());
      if (answer != null) {
        peers.post(from, new OfShard(it.type(), it.shard(), answer));
      }
      return;
    }
    changing.lock();
    try {
      if (peers.session(from) != session) {
        return;
      }
      type.received(from, it.shard(), it.message());
    } finally {
      changing.unlock();
    }
    type.doLater(it.shard());
  }

  /// What a node answers that has no such shard: it has started again, and does not use them yet.
  private static @Nullable ShardMessage refusal(ShardMessage message) {
    return switch (message) {
      case ShardMessage.Deliver(long generation, EntityMessage it) ->
          new ShardMessage.Bounced(generation, it);
      case ShardMessage.Flush(long generation, _) -> new ShardMessage.Flushed(generation);
      case ShardMessage.EndOfHandoff(long next) -> new ShardMessage.HandoffTaken(next, false);
      default -> null;
    };
  }

  private void unsendable(String node, OfShard it) {
    EntityMessage message =
        switch (it.message()) {
          case ShardMessage.Forward forward -> forward.message();
          case ShardMessage.Bounced bounced -> bounced.message();
          default -> throw new IllegalStateException(it + " has no content of another node");
        };
    LOG.log(
        System.Logger.Level.WARNING,
        "node '%s': a message to '%s' cannot be handed to '%s'"
            .formatted(self.node(), message.key(), node));
    Failure why = Failure.UNREADABLE;
    fail(new OfShard(it.type(), it.shard(), new Failed(message, why)), message, why);
  }

  private void fail(OfShard failed, EntityMessage message, Failure why) {
    if (message.origin().equals(self.node())) {
      shared.failed(message, why, failed.type());
    } else {
      peers.post(message.origin(), failed);
    }
  }

  // ---- log and time ----

  /// The log has applied something. At least once after this node was admitted.
  @Override
  public void applied(Roster roster) {
    isAdmitted |= roster.admission(self.node(), self.life()) != 0;
    if (isAdmitted) { // an earlier state may name another life of this node
      types.values().forEach(type -> type.applied(roster.shards(), roster.applied()));
    }
  }

  /// Does what is due. Called several times a second.
  @Override
  public void tick(Roster roster) {
    applied(roster);
    long now = System.nanoTime();
    if (log.admission() != 0 && (!hasHosted || now - hostedAt >= REPEAT_NANOS)) {
      hasHosted = true;
      hostedAt = now;
      types.values().forEach(type -> host(roster, type));
      withdraw(roster);
    }
    plan.poll(roster.shards(), self.node(), now).forEach(log::submit);
    types.values().forEach(EntityType::progress);
    logFailures();
    shared.carryOut();
  }

  private void host(Roster roster, EntityType type) {
    int count = roster.shards().count(type.name);
    boolean isHost = roster.shards().hosts(type.name).contains(self.node());
    if (count != 0 && count != type.count) {
      if (!mismatched.add(type.name)) {
        return; // logged
      }
      LOG.log(
          System.Logger.Level.ERROR,
          "node '%s': '%s' has %d shards in this cluster, and %d here; nothing is delivered"
              .formatted(self.node(), type.name, count, type.count));
    } else if (count == 0 || (type.isHost() && !isHost && !isWithdrawn)) {
      boolean hosts = type.isHost() && !isWithdrawn;
      log.submit(
          new Command.HostShards(self.node(), log.admission(), type.name, type.count, hosts));
    }
  }

  /// Gives all shards away.
  ///
  /// @return completes when this node owns none
  @Override
  public CompletableFuture<@Nullable Void> leave() {
    isWithdrawn = true;
    return released.copy();
  }

  private void withdraw(Roster roster) {
    if (!isWithdrawn || released.isDone()) {
      return;
    }
    boolean isHost = false;
    for (EntityType type : types.values()) {
      isHost |= roster.shards().hosts(type.name).contains(self.node());
    }
    if (isHost) {
      log.submit(new Command.WithdrawHost(self.node(), log.admission()));
    } else if (System.nanoTime() - lastDelivered >= LEAVE_NANOS
        && types.values().stream().allMatch(EntityType::isReleased)) {
      released.complete(null);
    }
  }

  private void logFailures() {
    long all = failed();
    if (all > failuresLogged) {
      LOG.log(
          System.Logger.Level.WARNING,
          "node '%s': %d messages to entities have failed; by now %s"
              .formatted(self.node(), all - failuresLogged, failures));
      failuresLogged = all;
    }
  }

  // ---- for the shards ----

  private final class Shared implements EntityType.Node, LocalEntity.Listener {
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
      long ask = message.message().ask();
      if (ask != 0) {
        asks.sent(ask, node);
      }
      return peers.send(node, new OfShard(type, shard, message));
    }

    @Override
    public void post(String node, String type, int shard, ShardMessage message) {
      peers.post(node, new OfShard(type, shard, message));
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
    public LocalEntity entity(long number, int shard, EntityId id, Process process) {
      return new LocalEntity(number, shard, id, local, process, this, System.nanoTime());
    }

    @Override
    public void failed(EntityMessage message, Failure why, String type) {
      if (message.ask() == 0) {
        failures.merge(why, 1L, Long::sum);
      } else {
        String what = "the request to '%s' of '%s': %s".formatted(message.key(), type, why);
        decided.add(() ->
            asks.fail(
                message.ask(),
                why == Failure.LOST
                    ? NotDeliveredException.lost(what)
                    : NotDeliveredException.refused(what)));
      }
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
    public void ended(LocalEntity entity) {
      EntityType type = types.get(entity.type());
      if (type != null) {
        type.ended(entity);
      }
    }

    @Override
    public void asked(EntityMessage message, CompletableFuture<@Nullable Object> reply) {
      asked.put(new Asked(message.origin(), message.ask()), reply);
    }

    @Override
    public void notTaken(EntityMessage message, CompletableFuture<@Nullable Object> reply) {
      boolean _ = asked.remove(new Asked(message.origin(), message.ask()), reply);
    }

    @Override
    public void replied(
        EntityMessage message, @Nullable Object result, @Nullable Throwable failure) {
      if (asked.remove(new Asked(message.origin(), message.ask())) == null) {
        return; // it was given up
      }
      if (message.origin().equals(self.node())) {
        if (failure == null) {
          asks.complete(message.ask(), result);
        } else {
          asks.fail(message.ask(), failure);
        }
      } else {
        peers.post(message.origin(), reply(message.ask(), result, failure));
        peers.drain();
      }
    }

    private Packet reply(long ask, @Nullable Object result, @Nullable Throwable failure) {
      Throwable why = failure;
      if (why == null) {
        try {
          return new Answer(ask, writer.encode(result));
        } catch (NotSendableException e) {
          why = e;
        }
      }
      return new AskFailed(ask, Failures.text(why));
    }
  }
}
