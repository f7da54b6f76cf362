// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.NotDeliveredException;
import dev.heddle.cluster.NotDeliveredException.Why;
import dev.heddle.cluster.name.RosterAccess;
import dev.heddle.cluster.peer.Entry;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.ShardTable;
import dev.heddle.cluster.roster.ShardTable.ShardId;
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
import dev.heddle.process.SendResult;
import dev.heddle.process.remote.LocalProcesses;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;
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
   * is known here. At an end, in this order, and under one lock (`changing`):
   *
   *   1. nothing is sent in it any more, and what was posted for it is dropped (ShardPeers);
   *   2. each shard learns of it, under its lock, behind the last message of the session;
   *   3. requests that are at that node fail here, and those of that node are given up;
   *   4. the next session opens, if there is one.
   *
   * Messages are handed to shards under the same lock, in their session only. So a shard never
   * sends in a session that it does not know of, or records in one what it has sent in another.
   * What calls the program is done after that lock. [ShardSessionEndsTest]
   *
   * Without a lease nothing is sent: no majority knows this node, and what it knows gets old.
   */
  private static final long CENTURY_NANOS = TimeUnit.DAYS.toNanos(36_525);

  private final NodeLife self;
  private final LocalProcesses local;
  private final RosterAccess log;
  private final MessageWriter writer;
  private final Function<String, @Nullable RemoteNode> sessions;
  private final ToIntFunction<String> versions;
  private final ShardPeers peers;
  private final ShardContext shared;
  private final EntityAsks asks;
  private final IncomingAsks incoming;
  private final ShardLog report;
  final ConcurrentMap<String, EntityType> types = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, ShardUse> uses = new ConcurrentHashMap<>();
  private final ShardHosts hosts;
  private final ReentrantLock changing = new ReentrantLock(); // only threads of the cluster take it

  // written by the thread of applied() and tick()
  private boolean isAdmitted;
  private @Nullable ShardTable followed;
  private long followedChanges;
  private long acted; // the admission by which it could act at the last tick; 0: it could not

  /// @param sessions the open session with a node, by its name
  /// @param versions the newest version of messages about shards that a node in session knows
  public ShardService(
      NodeLife self,
      LocalProcesses local,
      RosterAccess log,
      MessageWriter writer,
      Function<String, @Nullable RemoteNode> sessions,
      ToIntFunction<String> versions) {
    this.self = self;
    this.local = local;
    this.log = log;
    this.writer = writer;
    this.sessions = sessions;
    this.versions = versions;
    this.peers = new ShardPeers(writer, this::unsendable, this::onSpace);
    this.report = new ShardLog(self.node());
    this.shared = new ShardContext(self, local, log, writer, peers, report, types::get);
    this.asks = shared.asks();
    this.incoming = shared.incoming();
    this.hosts = new ShardHosts(self, log, types.values());
  }

  // ---- types ----

  /// Uses a type of shards; hosts them, with an entry.
  ///
  /// @param entry makes the processes; null when this node hosts none
  /// @throws IllegalArgumentException when the type is used otherwise, here or in the cluster
  public void open(String name, ShardUse use, @Nullable Entry entry) {
    checkName(name);
    ShardUse before = uses.putIfAbsent(name, use);
    if (before != null && !before.equals(use)) {
      throw new IllegalArgumentException(
          "node '%s' uses shards '%s' as %s, and not as %s"
              .formatted(self.node(), name, before, use));
    }
    String refusal = before == null ? hosts.refusal(name, use.count()) : null;
    if (refusal != null) {
      uses.remove(name);
      throw new IllegalArgumentException(refusal);
    }
    var _ =
        types.computeIfAbsent(
            name, _ -> new EntityType(name, use.count(), entry, nanosOf(use.idle()), shared));
  }

  private static long nanosOf(Duration time) {
    return TimeUnit.NANOSECONDS.convert(time); // 292 years at most
  }

  /// Checks the name of a type, or a key.
  ///
  /// @throws IllegalArgumentException when it is empty or too long
  public static void checkName(String name) {
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
  long failed() {
    return report.failedMessages();
  }

  /// For tests: is told which messages have failed, at the node that finds it and, without their
  /// content, at the one that has sent them. Called under the lock of a shard.
  void onFailed(BiConsumer<EntityMessage, Failure> listener) {
    shared.onFailed(listener);
  }

  // ---- messages ----

  /// Sends a message to an entity.
  ///
  /// @return `FULL` when too many wait for its shard: see [#room]; `UNREACHABLE` without a session
  ///   with its owner
  /// @throws NotSendableException when it cannot be encoded, wherever the entity is
  /// @throws NoQuorumException when this node holds no lease
  /// @throws IllegalStateException when the cluster has another number of shards
  public SendResult offer(String type, String key, @Nullable Object message) {
    EntityType to = typeOf(type);
    EntityMessage checked = messageOf(key, message);
    checkLease(type, key);
    return to.offer(checked);
  }

  /// Completes when a message to this key may be accepted again, after `FULL`. Its dependent stages
  /// must not wait.
  public CompletableFuture<@Nullable Void> room(String type, String key) {
    return typeOf(type).room(key);
  }

  /// Sends a request to an entity.
  ///
  /// @param limit after which it fails
  /// @return fails with a [NotDeliveredException], or with what the entity replies; to cancel it
  ///   gives up. Its dependent stages must not wait
  /// @throws NotSendableException as of [#offer]
  /// @throws NoQuorumException as of [#offer]
  /// @throws IllegalStateException as of [#offer]
  public CompletableFuture<@Nullable Object> ask(
      String type, String key, @Nullable Object message, Duration limit) {
    EntityType to = typeOf(type);
    EntityMessage checked = messageOf(key, message);
    checkLease(type, key);
    long ask = asks.begin(System.nanoTime() + Math.clamp(nanosOf(limit), 0, CENTURY_NANOS));
    CompletableFuture<@Nullable Object> answer = asks.answer(ask);
    EntityMessage request =
        new EntityMessage(checked.origin(), key, ask, checked.message(), checked.bytes());
    try {
      SendResult result = to.offer(request);
      if (!result.isAccepted()) {
        asks.fail(
            ask,
            new NotDeliveredException(
                "the request to '%s' of '%s' was not sent: %s".formatted(key, type, result),
                result == SendResult.FULL ? Why.FULL : Why.REFUSED));
      }
    } catch (IllegalStateException e) {
      asks.fail(ask, e);
      throw e;
    }
    return answer;
  }

  private void checkLease(String type, String key) {
    long admission = log.admission();
    if (!log.mayAct(admission)) {
      String why =
          admission == 0
              ? "has not got a lease from a majority of the voters yet"
              : "holds no lease: no majority of the voters has answered in time, or it has left";
      throw new NoQuorumException(
          "nothing is sent to '%s' of '%s': node '%s' %s; try again"
              .formatted(key, type, self.node(), why));
    }
  }

  private EntityType typeOf(String name) {
    EntityType type = types.get(name);
    if (type == null) {
      throw new IllegalArgumentException("no shards '%s' are used here".formatted(name));
    }
    return type;
  }

  private EntityMessage messageOf(String key, @Nullable Object message) {
    checkName(key);
    byte[] content = writer.encode(message);
    if (content.length > Limits.MESSAGE_BYTES - ShardMessageCodec.HEADER_BYTES) {
      throw new NotSendableException(
          "a message to an entity has at most %d bytes, not %d"
              .formatted(Limits.MESSAGE_BYTES - ShardMessageCodec.HEADER_BYTES, content.length));
    }
    int bytes = ShardMessageCodec.sizeOf(key, content.length);
    return new EntityMessage(self.node(), key, 0, new Payload(message, content), bytes);
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
      if (known != null) {
        peers.close(node);
        types.values().forEach(type -> type.sessionEnded(node));
        asks.sessionEnded(node);
        incoming.sessionEnded(node, shared::later);
      }
      if (now != null) {
        peers.open(node, now, versions.applyAsInt(node));
      }
    } finally {
      changing.unlock();
    }
    types.values().forEach(EntityType::progress);
    shared.carryOut();
  }

  /// A connection that was full has space.
  private void onSpace() {
    local
        .callbacks()
        .execute(() -> { // this may be under the lock of a shard
          types.values().forEach(EntityType::onSpace);
          shared.carryOut();
        });
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
      if (e.taken != null) {
        peers.post(from.node(), e.taken);
      }
    } catch (IllegalArgumentException e) {
      report.warn(
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
      case GiveUp(long ask) -> incoming.givenUp(from, ask);
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
      hosts.delivered();
    }
    EntityType type = types.get(it.type());
    if (type == null || !type.hasShard(it.shard())) {
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
    type.carryOut();
  }

  /// What a node answers that has no such shard: it has started again, and does not use them yet.
  private static @Nullable ShardMessage refusal(ShardMessage message) {
    return switch (message) {
      case ShardMessage.Deliver(long generation, EntityMessage it) ->
          new ShardMessage.Bounced(generation, it);
      case ShardMessage.Flush(long generation, _) -> new ShardMessage.Flushed(generation);
      case ShardMessage.EndOfHandoff(long next) -> new ShardMessage.HandoffTaken(next, false);
      case ShardMessage.ReplyWanted(long ask) -> new ShardMessage.NotHere(ask);
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
    report.warn(
        "node '%s': a message to '%s' cannot be handed to '%s'"
            .formatted(self.node(), message.key(), node));
    Failure why = Failure.UNREADABLE;
    fail(new OfShard(it.type(), it.shard(), new Failed(message, why)), message, why);
  }

  private void fail(OfShard failed, EntityMessage message, Failure why) {
    if (message.origin().equals(self.node())) {
      shared.failed(message, why, null, failed.type());
    } else {
      peers.post(message.origin(), failed);
    }
  }

  // ---- log and time ----

  /// The log has applied something. At least once after this node was admitted.
  @Override
  public void applied(Roster roster) {
    isAdmitted |= roster.admission(self.node(), self.life()) != 0;
    if (!isAdmitted) { // an earlier state may name another life of this node
      return;
    }
    ShardTable table = roster.shards();
    List<ShardId> changed = table == followed ? table.changedSince(followedChanges) : null;
    followed = table;
    followedChanges = table.changes();
    types.values().forEach(type -> type.applied(table, changed));
  }

  @Override
  public boolean isIdle() {
    return types.isEmpty();
  }

  /// Does what is due. Called several times a second.
  @Override
  public void tick(Roster roster) {
    peers.nodes().forEach(this::sessionChanged);
    applied(roster);
    long now = System.nanoTime();
    hosts.tick(roster, now);
    long admission = log.admission();
    long acts = log.mayAct(admission) ? admission : 0;
    if (acts == 0 || acts != acted) { // entities may have to end, or to begin
      types.values().forEach(EntityType::progress);
    }
    acted = acts;
    types.values().forEach(EntityType::tick);
    if (acts == 0) {
      types.values().forEach(EntityType::wakeWaiting); // they are told that there is no lease
    }
    asks.due(now);
    report.due(now);
    peers.lookAgain();
    shared.carryOut();
  }

  /// Gives all shards away.
  ///
  /// @return completes when this node owns none
  @Override
  public CompletableFuture<@Nullable Void> leave() {
    return hosts.leave();
  }

  /// Fails what waits. Nothing else follows.
  public void close() {
    asks.close("node '%s' has left the cluster".formatted(self.node()));
    types.values().forEach(EntityType::wakeWaiting);
  }
}
