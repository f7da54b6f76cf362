// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static dev.heddle.cluster.shard.SimulatedLog.MILLI;

import dev.heddle.cluster.NotDeliveredException;
import dev.heddle.cluster.NotDeliveredException.Why;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Lease;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.roster.ShardPlan;
import dev.heddle.cluster.roster.ShardState;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.cluster.shard.ShardSimulation.Content;
import dev.heddle.cluster.shard.ShardSimulation.Fate;
import dev.heddle.process.SendResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A node of a [ShardSimulation], with one life after the other.
final class SimulatedHost {
  private static final long NEVER = 3_600_000 * MILLI;

  final ShardSimulation world;
  final String name;
  private final long hostsFrom;
  private final long withdrawsAt; // where nothing fails
  long resumed;
  boolean isSending = true;
  Life life;
  private int lastNumber; // of the senders here, over all lives

  SimulatedHost(ShardSimulation world, String name) {
    this.world = world;
    this.name = name;
    this.hostsFrom =
        world.now + (world.isCalm ? world.between(0, world.scale.millis(40_000)) * MILLI : 0);
    this.withdrawsAt =
        world.now + world.between(world.scale.millis(30_000), world.scale.millis(80_000)) * MILLI;
    this.life = new Life();
    world.after(world.between(0, 3_000), this::turn);
  }

  private void turn() {
    if (world.now < resumed) {
      world.at(resumed, this::turn);
      return;
    }
    world.after(world.between(20, 120), this::turn);
    if (world.rarely(15)) {
      resumed = world.now + world.between(100, world.scale.millis(25_000)) * MILLI;
      world.sessions.paused(this);
      return;
    }
    if (world.rarely(10) || life.hasLeft) {
      Life before = life;
      before.dead = true;
      life = new Life();
      world.sessions.restarted(before, life);
      world.killed(before.number);
    }
    life.turn();
  }

  /// An entity with its mailbox.
  private static final class Entity {
    final int shard;
    final String key;
    final long generation;
    final long admission;
    final Deque<EntityMessage> mailbox = new ArrayDeque<>();
    final Map<EntityMessage, CompletableFuture<@Nullable Object>> replies = new HashMap<>();
    long taken;
    long lastTaken;
    boolean hasEnded;

    Entity(int shard, String key, long generation, long admission) {
      this.shard = shard;
      this.key = key;
      this.generation = generation;
      this.admission = admission;
    }
  }

  /// One life of the node. All its events wait while it is paused.
  final class Life {
    final int number = ++world.lives;
    final Map<String, Object> sessions = new HashMap<>();
    private final Map<String, Long> openedAt = new HashMap<>();
    final Map<String, Long> lastArrival = new HashMap<>();
    final Map<String, Deque<Runnable>> inFlight = new HashMap<>();
    final List<Shard> shards = new ArrayList<>();
    private final Lease lease = new Lease(world.scale.times());
    private final Map<Long, Entity> entities = new HashMap<>();
    final EntityAsks asks = new EntityAsks(number, this::giveUp, Runnable::run);
    final IncomingAsks incoming = new IncomingAsks(name);
    final HeldBytes held = new HeldBytes(ShardSimulation.HELD);
    private final List<CompletableFuture<@Nullable Object>> asked = new ArrayList<>();
    private final ShardState[] views = new ShardState[ShardSimulation.SHARDS];
    private final ShardPlan plan = new ShardPlan();
    private Roster roster = new Roster();
    private int followed;
    private long entityNumbers;
    private long hostedAt;
    private boolean isKnown;
    private boolean acted;
    private boolean isLeaving;
    private boolean actsNoMore; // it has told the log that it leaves
    boolean hasLeft;
    boolean dead;

    Life() {
      for (int shard = 0; shard < ShardSimulation.SHARDS; shard++) {
        views[shard] = ShardState.EMPTY;
        shards.add(new Shard(new Port(shard), () -> ++entityNumbers, ShardSimulation.WINDOW));
      }
    }

    String name() {
      return name;
    }

    void whenRunning(Runnable run) {
      if (dead) {
        return;
      }
      if (world.now < resumed) {
        world.at(resumed, () -> whenRunning(run));
      } else {
        run.run();
      }
    }

    // ---- log and lease ----

    void turn() {
      renew();
      follow();
      host();
      plan.poll(roster.shards(), name, world.now).forEach(it -> world.propose(it, _ -> {}));
      boolean acts = mayAct(lease.admission());
      boolean isChanged = !acts || !acted;
      acted = acts;
      for (Shard shard : shards) { // as the agent of a node does
        if (isChanged || shard.due(world.now, world.now + NEVER) <= world.now) {
          shard.progress(world.now);
        }
      }
      if (world.chance(5)) {
        giveUpOne();
      }
      if (isSending) {
        for (int sends = (int) world.between(0, 4); sends > 0; sends--) {
          send();
        }
      }
    }

    private boolean mayAct(long admission) {
      return !actsNoMore && lease.isHeld(admission, world.now);
    }

    private void renew() {
      if (lease.isDue(world.now) && !actsNoMore) {
        long start = lease.renewing(world.now);
        world.propose(
            new Command.Renew(name, number, null),
            outcome ->
                whenRunning(() -> {
                  if (outcome instanceof Outcome.Admitted(long admitted)) {
                    lease.acknowledged(start, admitted);
                  }
                }));
      }
    }

    private void follow() {
      int known = world.log.size();
      int upTo = world.chance(10) ? followed + (known - followed) / 2 : known;
      if (world.chance(2) && upTo == known) {
        roster = RosterCodec.RELEASE.restore(RosterCodec.RELEASE.snapshot(world.committed));
        followed = known;
        look();
      }
      while (followed < upTo) {
        roster.follow(world.log.get(followed++));
        look();
      }
    }

    /// States from before its first admission may name an earlier life of this node.
    private void look() {
      isKnown |= roster.admission(name, number) != 0;
      if (!isKnown) {
        return;
      }
      for (int shard = 0; shard < views.length; shard++) {
        ShardState state = roster.shards().state(ShardSimulation.TYPE, shard);
        if (!state.equals(views[shard])) {
          views[shard] = state;
          shards.get(shard).view(state, world.now);
        }
      }
    }

    /// Says that it hosts shards; at times leaves in an orderly way.
    private void host() {
      long admission = lease.admission();
      if (admission == 0 || world.now < hostsFrom || world.now - hostedAt < 1_000 * MILLI) {
        return;
      }
      hostedAt = world.now;
      isLeaving |=
          world.rarely(200) || (world.isCalm && !name.equals("a") && world.now > withdrawsAt);
      if (!isLeaving) {
        String type = ShardSimulation.TYPE;
        world.propose(
            new Command.HostShards(name, admission, type, ShardSimulation.SHARDS, true), _ -> {});
        return;
      }
      world.propose(new Command.WithdrawHost(name, admission), _ -> {});
      boolean owns = false;
      for (Shard shard : shards) {
        owns |= shard.owner().entities() != null || !shard.owner().isQuiet();
      }
      boolean isHost = roster.shards().hosts(ShardSimulation.TYPE).contains(name);
      actsNoMore |= !owns && !isHost && !world.isCalm;
      if (actsNoMore) {
        world.propose(new Command.Leave(name, admission), _ -> whenRunning(() -> hasLeft = true));
      }
    }

    // ---- sessions ----

    void opened(String other, Object session) {
      sessions.put(other, session);
      openedAt.put(other, world.now);
      shards.forEach(shard -> shard.progress(world.now));
    }

    /// Whether this life and another one have one session open, since a time or before it.
    boolean isInOneSessionSince(Life other, long nanos) {
      Object session = sessions.get(other.name());
      return session != null
          && session.equals(other.sessions.get(name))
          && openedAt.getOrDefault(other.name(), world.now) <= nanos;
    }

    void ended(String other, Object session) {
      if (session.equals(sessions.get(other))) {
        sessions.remove(other);
        shards.forEach(shard -> shard.sessionEnded(other, world.now));
        asks.sessionEnded(other);
        incoming.sessionEnded(other, Runnable::run);
      }
    }

    void received(String from, int shard, ShardMessage message) {
      shards.get(shard).received(from, message, world.now);
    }

    // ---- senders ----

    private void send() {
      String key = ShardSimulation.KEYS.get(world.random.nextInt(ShardSimulation.KEYS.size()));
      String sender = name + world.random.nextInt(2);
      Content content = new Content(sender, key, ++lastNumber);
      boolean isAsk = world.random.nextInt(3) == 0;
      Fate fate = new Fate(world.now, this, isAsk);
      world.fates.put(content, fate);
      long ask = isAsk ? asks.begin(Long.MAX_VALUE) : 0;
      int bytes = (int) world.between(5, 60);
      EntityMessage message = new EntityMessage(name, key, ask, content, bytes);
      CompletableFuture<@Nullable Object> answer = isAsk ? ask(content, ask, fate) : null;
      int shard = ShardSimulation.shardOf(key);
      SendResult result = shards.get(shard).offer(message, world.now);
      if (!result.isAccepted()) {
        boolean _ = answer != null && answer.cancel(false);
        world.fates.remove(content);
        world.full += result == SendResult.FULL ? 1 : 0;
      } else if (isAsk && views[shard].isMoving() && !asks.isSent(ask)) {
        world.heldAsks++;
      }
    }

    private CompletableFuture<@Nullable Object> ask(Content content, long ask, Fate fate) {
      CompletableFuture<@Nullable Object> answer = asks.answer(ask);
      asked.add(answer);
      var _ =
          answer.handle((result, failure) ->
              world.check(() -> world.answered(content, fate, result, failure)));
      return answer;
    }

    /// The asker of a request does not wait any more.
    private void giveUpOne() {
      asked.removeIf(CompletableFuture::isDone);
      if (!asked.isEmpty()) {
        asked.get(world.random.nextInt(asked.size())).cancel(false);
      }
    }

    private void giveUp(@Nullable String at, long ask) {
      if (at == null || at.equals(name)) {
        incoming.givenUp(name, ask);
      } else {
        world.sessions.travel(this, at, to -> to.incoming.givenUp(name, ask), () -> {});
      }
    }

    /// An entity replies to what it has taken; at its end at the latest.
    private void reply(EntityMessage message) {
      if (!incoming.has(message.origin(), message.ask())) {
        return; // it was given up, or the session has ended
      }
      if (message.origin().equals(name)) {
        asks.complete(message.ask(), message.message());
      } else {
        world.sessions.travel(
            this,
            message.origin(),
            to -> to.asks.complete(message.ask(), message.message()),
            () -> {});
      }
      incoming.replied(message);
    }

    // ---- entities ----

    private void step(long entity) {
      Entity it = Objects.requireNonNull(entities.get(entity));
      if (it.hasEnded) {
        return;
      }
      boolean isIdle = it.mailbox.isEmpty();
      if (!isIdle && mayAct(it.admission)) {
        EntityMessage message = it.mailbox.remove();
        it.replies.remove(message);
        it.taken++;
        it.lastTaken = world.now;
        world.acted(this, it.shard, it.generation, message);
        if (message.ask() != 0) {
          world.after(world.between(0, 300), () -> whenRunning(() -> reply(message)));
        }
        shards.get(it.shard).taken(message, world.now);
      }
      if (world.rarely(30)) {
        end(entity);
        return;
      }
      long until = world.chance(3) ? 400 : isIdle ? world.between(5, 80) : world.between(1, 30);
      world.after(until, () -> whenRunning(() -> step(entity)));
    }

    private void end(long entity) {
      Entity it = Objects.requireNonNull(entities.get(entity));
      if (it.hasEnded) {
        return;
      }
      it.hasEnded = true;
      world.after(
          world.between(0, 20),
          () ->
              whenRunning(() -> {
                List<EntityMessage> unread = List.copyOf(it.mailbox);
                it.replies.forEach((message, reply) -> incoming.notTaken(message, reply));
                String failure = it.taken == 0 ? "it has failed" : null;
                shards.get(it.shard).entityEnded(entity, unread, failure, world.now);
              }));
    }

    private final class Port implements ShardPort {
      private final int shard;

      Port(int shard) {
        this.shard = shard;
      }

      @Override
      public String self() {
        return name;
      }

      @Override
      public boolean isInSession(String node) {
        return sessions.get(node) != null;
      }

      @Override
      public SendResult send(String node, ShardMessage.Deliver message) {
        if (sessions.get(node) == null) {
          return SendResult.UNREACHABLE;
        }
        if (world.chance(3)) {
          return SendResult.FULL;
        }
        world.travel(Life.this, node, shard, message);
        return SendResult.ACCEPTED;
      }

      @Override
      public void post(String node, ShardMessage message) {
        world.travel(Life.this, node, shard, message);
      }

      @Override
      public void release(long next) {
        String type = ShardSimulation.TYPE;
        List<Command.Release> releases = List.of(new Command.Release(shard, next));
        world.propose(new Command.ReleaseShards(name, lease.admission(), type, releases), _ -> {});
      }

      @Override
      public boolean mayAct(long admission) {
        return Life.this.mayAct(admission);
      }

      @Override
      public void start(long entity, String key, long generation, long admission) {
        for (Entity other : entities.values()) {
          if (!other.hasEnded && other.key.equals(key)) {
            throw new AssertionError("seed %d: two of %s at %s".formatted(world.seed, key, name));
          }
        }
        entities.put(entity, new Entity(shard, key, generation, admission));
        world.after(world.between(1, 100), () -> whenRunning(() -> step(entity)));
      }

      @Override
      public boolean deliver(long entity, EntityMessage message) {
        Entity it = Objects.requireNonNull(entities.get(entity));
        it.mailbox.add(message); // unread, if it has ended and that is not reported yet
        if (message.ask() != 0) {
          CompletableFuture<@Nullable Object> reply = new CompletableFuture<>();
          it.replies.put(message, reply);
          incoming.begun(message, entity, reply);
        }
        return true;
      }

      @Override
      public void end(long entity, EntityEnd why) {
        long most =
            why == EntityEnd.LOST ? 1_000 : world.chance(10) ? world.scale.millis(10_000) : 200;
        world.after(world.between(0, (int) most), () -> whenRunning(() -> Life.this.end(entity)));
      }

      @Override
      public long idleAt(long entity, long nanos) {
        Entity it = Objects.requireNonNull(entities.get(entity));
        boolean hasAll = it.mailbox.isEmpty() && it.taken > 0;
        return hasAll ? it.lastTaken + 500 * MILLI : nanos + 500 * MILLI;
      }

      @Override
      public void failed(EntityMessage message, Failure why, @Nullable String cause) {
        world.failed(message, why);
        Why told = why == Failure.LOST ? Why.LOST : Why.REFUSED;
        asks.failLater(message.ask(), new NotDeliveredException(why.name(), told));
      }

      @Override
      public boolean hasRoom(String node) {
        return world.healed || !world.chance(5);
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
    }
  }
}
