// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.NotDeliveredException;
import dev.heddle.cluster.NotDeliveredException.Why;
import dev.heddle.cluster.roster.Holder;
import dev.heddle.cluster.roster.ShardState;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One random history: nodes that send to entities while nodes join, leave, pause and are killed,
/// and sessions end.
///
/// At each step of an entity the model looks into the log: nobody else may own the shard. Each
/// message is followed to its end: it is delivered once, or its sender's node is told, or the
/// session in which it was on its way has ended, or the node where it was has been killed. Sessions
/// are a model of them, or real ones over a network that fails: see [ShardSessions].
///
/// Nothing is lost without a cause: when a node is told that a message may be lost, a session
/// between two of the nodes that had the message was not open for all the time since it was sent,
/// or one of those nodes was killed. See [#isLossExplained].
final class ShardSimulation extends SimulatedLog {
  static final String TYPE = "cart";
  static final int SHARDS = 3;
  static final ShardWindow WINDOW = new ShardWindow(24, 800); // small enough to be reached
  static final long HELD = 1_000; // bytes for an owner: a window and a part of another one
  static final List<String> KEYS = List.of("k1", "k2", "k3", "k4", "k5", "k6", "k7");
  private static final int RUN = 90_000;
  private static final int QUIET = 4_000; // and as long as an entity takes to end

  /// What the message of an entity is here.
  record Content(String sender, String key, int number) {}

  /// What has become of a message that was accepted.
  static final class Fate {
    final long since; // it was sent
    final int asker; // the life that waits for a reply; 0 for none
    final Set<Integer> nodes = new HashSet<>(); // the lives that have it
    final Set<SimulatedHost.Life> path = new LinkedHashSet<>(); // that have had it, or were to
    boolean isDelivered;
    boolean isTold; // the sender's node
    boolean isRefused; // it will not be delivered
    boolean isOver; // a request, whose asker was told, has given up, or was killed
    boolean isExcused; // its session has ended, or its node was killed

    Fate(long since, SimulatedHost.Life sender, boolean isAsk) {
      this.since = since;
      this.asker = isAsk ? sender.number : 0;
      nodes.add(sender.number);
      path.add(sender);
    }
  }

  private record Pair(String sender, String key) {}

  /// The log named a host as the owner of a shard or the next one, until a time.
  private static final class Named {
    final SimulatedHost.Life life;
    long until = Long.MAX_VALUE;

    Named(SimulatedHost.Life life) {
      this.life = life;
    }
  }

  /// What a life has handed over for a generation.
  private record Forwarded(int life, int shard, long next) {}

  final Map<Content, Fate> fates = new HashMap<>();
  private final Map<Forwarded, List<Fate>> forwards = new HashMap<>();
  private final List<List<Named>> named = new ArrayList<>(); // by shard
  final ShardSessions sessions;
  final List<SimulatedHost> hosts = new ArrayList<>();
  private final Map<Pair, Integer> lastDelivered = new HashMap<>();
  private final Map<Integer, Long> lastActed = new HashMap<>();
  private @Nullable AssertionError failed; // of an answer

  long acts;
  long actsAfterHeal;
  final Map<Failure, Integer> told = new EnumMap<>(Failure.class);
  long handovers;
  long handedOver; // requests
  long notHere; // said of requests
  long heldAsks; // while their shards moved
  long replies;
  long failedAsks;
  long lostAsks;
  long full; // refusals
  long losses;
  int lives;

  /// Over a model of sessions.
  ///
  /// @param isCalm whether nodes only begin and end to host shards, and nothing fails
  ShardSimulation(long seed, Scale scale, boolean isCalm) {
    this(seed, scale, isCalm, ModelledSessions::new);
  }

  ShardSimulation(
      long seed, Scale scale, boolean isCalm, Function<ShardSimulation, ShardSessions> open) {
    super(seed, scale, isCalm);
    sessions = open.apply(this);
    for (String name : List.of("a", "b", "c", "d").subList(0, scale.nodes())) {
      hosts.add(new SimulatedHost(this, name));
    }
    for (int shard = 0; shard < SHARDS; shard++) {
      named.add(new ArrayList<>());
    }
    committed.shards().onChange((shard, _, after) -> named(named.get(shard.shard()), after));
    sessions.begin();
  }

  private void named(List<Named> hosts, ShardState after) {
    hosts.forEach(it -> it.until = Math.min(it.until, now));
    add(hosts, after.owner());
    add(hosts, after.predecessor());
    add(hosts, after.successor());
  }

  private void add(List<Named> hosts, @Nullable Holder holder) {
    if (holder != null) {
      hosts.add(new Named(host(holder.node()).life));
    }
  }

  void run() {
    runUntil(now + scale.millis(RUN) * MILLI);
    throwFailure();
  }

  /// A future keeps what its stages throw.
  ///
  /// @return whether all was well
  boolean check(Runnable stage) {
    try {
      stage.run();
    } catch (AssertionError e) {
      failed = failed == null ? e : failed;
    }
    return failed == null;
  }

  private void throwFailure() {
    if (failed != null) {
      throw failed;
    }
  }

  /// Ends all faults, and runs on until all is quiet.
  void heal() {
    healed = true;
    hosts.forEach(host -> host.resumed = Math.min(host.resumed, now));
    sessions.calm();
    runUntil(now + scale.millis(RUN) * MILLI);
    hosts.forEach(host -> host.isSending = false);
    runUntil(now + (QUIET + scale.millis(11_000)) * MILLI);
    sessions.end();
    throwFailure();
  }

  // ---- messages that travel ----

  /// A message about a shard travels.
  void travel(SimulatedHost.Life from, String to, int shard, ShardMessage message) {
    EntityMessage content = contentOf(message);
    if (content != null) {
      fate(content).path.add(host(to).life);
    }
    sessions.travel(
        from,
        to,
        life -> {
          note(from, shard, message, life);
          life.received(from.name(), shard, message);
        },
        () -> dropped(message));
  }

  SimulatedHost host(String name) {
    return hosts.stream().filter(it -> it.name.equals(name)).findFirst().orElseThrow();
  }

  private void dropped(ShardMessage message) {
    EntityMessage it = contentOf(message);
    if (it != null && !(message instanceof ShardMessage.Forward)) { // that is sent again
      fate(it).isExcused = true;
    }
  }

  /// The message that travels; null for what is only about messages.
  private static @Nullable EntityMessage contentOf(ShardMessage message) {
    return switch (message) {
      case ShardMessage.Deliver deliver -> deliver.message();
      case ShardMessage.Bounced bounced -> bounced.message();
      case ShardMessage.Failed failed -> failed.message();
      case ShardMessage.Forward forward -> forward.message();
      default -> null;
    };
  }

  /// Where messages are now.
  private void note(
      SimulatedHost.Life from, int shard, ShardMessage message, SimulatedHost.Life at) {
    switch (message) {
      case ShardMessage.HandedOver(EntityMessage request, String to, _) -> {
        handedOver++;
        fate(request).path.add(host(to).life); // it is asked for the reply
      }
      case ShardMessage.NotHere _ -> notHere++;
      case ShardMessage.Deliver deliver -> isNowAt(deliver.message(), at);
      case ShardMessage.Bounced bounced -> isNowAt(bounced.message(), at);
      case ShardMessage.Failed failed -> isNowAt(failed.message(), at);
      case ShardMessage.Forward(long next, EntityMessage forwarded) -> {
        Fate fate = fate(forwarded);
        fate.nodes.add(at.number);
        forwards
            .computeIfAbsent(new Forwarded(from.number, shard, next), _ -> new ArrayList<>())
            .add(fate);
      }
      case ShardMessage.HandoffTaken(long next, boolean isInTime) -> {
        List<Fate> fates = forwards.remove(new Forwarded(at.number, shard, next));
        if (isInTime && fates != null) {
          fates.forEach(fate -> fate.nodes.remove(at.number));
        }
      }
      default -> {} // of no message
    }
  }

  private void isNowAt(EntityMessage message, SimulatedHost.Life at) {
    Fate fate = fate(message);
    fate.nodes.clear();
    fate.nodes.add(at.number);
  }

  // ---- what is promised ----

  Fate fate(EntityMessage message) {
    return Objects.requireNonNull(fates.get((Content) message.message()));
  }

  /// An entity has taken a message.
  void acted(SimulatedHost.Life life, int shard, long generation, EntityMessage message) {
    acts++;
    actsAfterHeal += healed ? 1 : 0;
    Content content = (Content) message.message();
    ShardState state = committed.shards().state(TYPE, shard);
    String owner = state.owner() == null ? null : state.owner().node();
    if (state.generation() != generation || !life.name().equals(owner)) {
      throw new AssertionError(
          "seed %d: %s acts for shard %d by generation %d; the log has %s"
              .formatted(seed, life.name(), shard, generation, state));
    }
    Long last = lastActed.put(shard, generation);
    if (last != null && last > generation) {
      throw new AssertionError(
          "seed %d: generation %d acts after %d".formatted(seed, generation, last));
    }
    handovers += last == null || last != generation ? 1 : 0;
    Fate fate = fate(message);
    Pair pair = new Pair(content.sender, content.key);
    int before = Objects.requireNonNullElse(lastDelivered.put(pair, content.number), 0);
    if (fate.isDelivered || before >= content.number) {
      throw new AssertionError("seed %d: %s after %d".formatted(seed, content, before));
    }
    if (fate.isRefused) {
      throw new AssertionError("seed %d: %s was refused".formatted(seed, content));
    }
    fate.isDelivered = true;
  }

  void failed(EntityMessage message, Failure why) {
    told.merge(why, 1, Integer::sum);
    Fate fate = fate(message);
    fate.isTold = true;
    fate.isRefused = why != Failure.LOST;
    if (why == Failure.LOST) {
      lostByOwner((Content) Objects.requireNonNull(message.message()), fate);
    }
    if (fate.isRefused && fate.isDelivered) {
      throw new AssertionError("seed %d: %s is delivered, and refused".formatted(seed, message));
    }
  }

  /// A node says that a message of another one is lost: a former owner of the shard, for which the
  /// successor that the log has named counts, too.
  private void lostByOwner(Content content, Fate fate) {
    Set<SimulatedHost.Life> path = new LinkedHashSet<>(fate.path);
    for (Named host : named.get(shardOf(content.key))) {
      if (host.until >= fate.since) {
        path.add(host.life);
      }
    }
    checkLoss(content, fate, path);
  }

  private void checkLoss(Content content, Fate fate, Set<SimulatedHost.Life> path) {
    if (!isLossExplained(path, fate.since)) {
      String lives = path.stream().map(it -> it.name() + it.number).toList().toString();
      throw new AssertionError(
          "seed %d: %s was lost without a cause on its way, %s".formatted(seed, content, lives));
    }
  }

  /// Whether one of the lives was killed, or was lost by the log, or two of them were not in one
  /// session for all the time since a message was sent. Where a session was missing, too: a
  /// successor that the former owner does not reach for 2 s begins without what that one has.
  private boolean isLossExplained(Set<SimulatedHost.Life> path, long since) {
    for (SimulatedHost.Life one : path) {
      if (one.dead || admissionEnded.getOrDefault(one.name(), Long.MIN_VALUE) >= since) {
        return true;
      }
      for (SimulatedHost.Life other : path) {
        if (one != other && !one.isInOneSessionSince(other, since)) {
          return true;
        }
      }
    }
    return false;
  }

  /// A request has a reply, has failed, or was given up.
  void answered(Content content, Fate fate, @Nullable Object result, @Nullable Throwable failure) {
    if (result != null) {
      replies++;
      if (!fate.isDelivered) {
        throw new AssertionError("seed %d: a reply to %s".formatted(seed, content));
      }
    } else {
      fate.isOver = true;
      failedAsks += failure instanceof CancellationException ? 0 : 1;
      if (failure instanceof NotDeliveredException it && it.why() == Why.LOST) {
        lostAsks++;
        if (!fate.isTold) { // else that was judged
          checkLoss(content, fate, fate.path);
        }
      }
    }
  }

  /// A life was killed, with all that it had.
  void killed(int life) {
    losses++;
    for (Fate fate : fates.values()) {
      fate.isExcused |= fate.nodes.contains(life);
      fate.isOver |= fate.asker == life;
    }
  }

  /// What all must be like when there were no faults for a time.
  void assertQuiet() {
    for (var fate : fates.entrySet()) {
      Fate it = fate.getValue();
      if (!it.isDelivered && !it.isTold && !it.isOver && !it.isExcused) {
        throw new AssertionError("seed %d: what became of %s".formatted(seed, fate.getKey()));
      }
    }
    for (int shard = 0; shard < SHARDS; shard++) {
      ShardState state = committed.shards().state(TYPE, shard);
      assertThat(state.isMoving()).as("seed %d: %s", seed, state).isFalse();
      assertThat(state.owner()).as("seed %d: %s", seed, state).isNotNull();
      for (SimulatedHost host : hosts) {
        Shard at = host.life.shards.get(shard);
        assertThat(at.sender().sent()).as("seed %d: at %s", seed, host.name).isZero();
        assertThat(at.sender().size()).as("seed %d: held at %s", seed, host.name).isZero();
        assertThat(at.owner().isQuiet()).as("seed %d: at %s", seed, host.name).isTrue();
      }
    }
    for (SimulatedHost host : hosts) {
      assertThat(host.life.asks.size())
          .as("seed %d: open requests of %s", seed, host.name)
          .isZero();
      assertThat(host.life.incoming.size()).as("seed %d: requests at %s", seed, host.name).isZero();
      assertThat(host.life.held.size()).as("seed %d: held by %s", seed, host.name).isZero();
    }
  }

  /// Without faults, all is delivered but what was refused for lack of space.
  void assertAllDelivered() {
    assertThat(told.keySet()).as("seed %d", seed).isSubsetOf(Failure.FULL);
    fates.forEach((content, fate) ->
        assertThat(fate.isDelivered || fate.isRefused || fate.isOver)
            .as("seed %d: %s", seed, content)
            .isTrue());
  }

  static int shardOf(String key) {
    return KEYS.indexOf(key) % SHARDS;
  }
}
