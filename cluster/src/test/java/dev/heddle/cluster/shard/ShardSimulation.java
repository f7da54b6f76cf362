// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.roster.ShardState;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One random history: nodes that send to entities while nodes join, leave, pause and are killed,
/// and sessions end.
///
/// At each step of an entity the model looks into the log: nobody else may own the shard. Each
/// message is followed to its end: it is delivered once, or its sender's node is told, or a session
/// it was in has ended, or a node it was at was killed.
final class ShardSimulation extends SimulatedLog {
  static final String TYPE = "cart";
  static final int SHARDS = 3;
  static final ShardWindow WINDOW = new ShardWindow(24, 800); // small enough to be reached
  static final List<String> KEYS = List.of("k1", "k2", "k3", "k4", "k5", "k6", "k7");
  private static final long RUN = 90_000;

  /// What the message of an entity is here.
  record Content(String sender, String key, int number) {}

  /// What has become of a message that was accepted.
  static final class Fate {
    final Set<Integer> nodes = new HashSet<>(); // the lives that have had it
    boolean isDelivered;
    boolean isTold; // the sender's node
    boolean isRefused; // it will not be delivered
    boolean isExcused; // its session has ended, or its node was killed
  }

  final Map<Content, Fate> fates = new HashMap<>();
  final List<SimulatedHost> hosts = new ArrayList<>();
  private final Map<String, Integer> lastDelivered = new HashMap<>();
  private final Map<Integer, Long> lastActed = new HashMap<>();

  long acts;
  long actsAfterHeal;
  final Map<Failure, Integer> told = new EnumMap<>(Failure.class);
  long handovers;
  long handedOver; // requests
  long notHere; // said of requests
  long heldAsks; // while their shards moved
  long replies;
  long failedAsks;
  long full; // refusals
  long losses;
  int lives;

  /// @param isCalm whether nodes only begin and end to host shards, and nothing fails
  ShardSimulation(long seed, boolean isCalm) {
    super(seed, isCalm);
    for (String name : List.of("a", "b", "c", "d")) {
      hosts.add(new SimulatedHost(this, name));
    }
    sessions();
  }

  void run() {
    runUntil(now + RUN * MILLI);
  }

  /// Ends all faults, and runs on until all is quiet.
  void heal() {
    healed = true;
    hosts.forEach(host -> host.resumed = Math.min(host.resumed, now));
    runUntil(now + 90_000 * MILLI);
    hosts.forEach(host -> host.isSending = false);
    runUntil(now + 15_000 * MILLI);
  }

  // ---- sessions ----

  private void sessions() {
    after(between(100, 400), this::sessions);
    for (SimulatedHost one : hosts) {
      for (SimulatedHost other : hosts) {
        if (one.name.compareTo(other.name) < 0) {
          change(one, other);
        }
      }
    }
  }

  private void change(SimulatedHost one, SimulatedHost other) {
    boolean isOpen = one.life.sessions.get(other.name) != null;
    boolean isOpenThere = other.life.sessions.get(one.name) != null;
    if (!isOpen && !isOpenThere) {
      boolean runs = now >= one.resumed && now >= other.resumed;
      if (runs && (healed || random.nextInt(100) < 30)) {
        Object session = new Object();
        one.life.opened(other.name, session);
        other.life.opened(one.name, session);
      }
      return;
    }
    boolean isStuck = one.resumed - now > 6_000 * MILLI || other.resumed - now > 6_000 * MILLI;
    if (isOpen != isOpenThere || isStuck || (chance(1) && chance(40))) {
      after(between(1, 1_500), () -> end(one, other));
      after(between(1, 1_500), () -> end(other, one));
    }
  }

  private static void end(SimulatedHost one, SimulatedHost other) {
    SimulatedHost.Life life = one.life;
    Object session = life.sessions.get(other.name);
    if (session != null) {
      life.whenRunning(() -> life.ended(other.name, session));
    }
  }

  /// A message about a shard travels.
  void travel(SimulatedHost.Life from, String to, int shard, ShardMessage message) {
    travel(
        from,
        to,
        life -> {
          note(message, life.number);
          life.received(from.name(), shard, message);
        },
        () -> dropped(message));
  }

  /// Something travels in a session; both ends must still have it when it arrives.
  void travel(
      SimulatedHost.Life from, String to, Consumer<SimulatedHost.Life> received, Runnable dropped) {
    Object session = from.sessions.get(to);
    SimulatedHost receiver = host(to);
    SimulatedHost.Life life = receiver.life;
    if (session == null) {
      dropped.run();
      return;
    }
    long arrival = Math.max(from.lastArrival.getOrDefault(to, 0L), now + travelTime() * MILLI);
    from.lastArrival.put(to, arrival);
    Runnable arrived =
        () -> {
          if (receiver.life == life && life.sessions.get(from.name()) == session) {
            received.accept(life);
          } else {
            dropped.run();
          }
        };
    from.inFlight.computeIfAbsent(to, _ -> new ArrayDeque<>()).add(arrived);
    at(arrival, () -> arrive(from, receiver));
  }

  private long travelTime() {
    return isCalm && random.nextInt(50) == 0 ? between(40, 3_000) : between(1, 40);
  }

  /// The next one of its direction, so that the order holds behind a pause.
  private void arrive(SimulatedHost.Life from, SimulatedHost receiver) {
    if (now < receiver.resumed) {
      at(receiver.resumed, () -> arrive(from, receiver));
    } else {
      Objects.requireNonNull(from.inFlight.get(receiver.name)).remove().run();
    }
  }

  SimulatedHost host(String name) {
    return hosts.stream().filter(it -> it.name.equals(name)).findFirst().orElseThrow();
  }

  private void dropped(ShardMessage message) {
    EntityMessage it =
        switch (message) {
          case ShardMessage.Deliver deliver -> deliver.message();
          case ShardMessage.Bounced bounced -> bounced.message();
          case ShardMessage.Failed failed -> failed.message();
          default -> null; // of a hand-off: all is sent again
        };
    if (it != null) {
      fate(it).isExcused = true;
    }
  }

  private void note(ShardMessage message, int life) {
    switch (message) {
      case ShardMessage.HandedOver _ -> handedOver++;
      case ShardMessage.NotHere _ -> notHere++;
      default -> {}
    }
    EntityMessage it =
        switch (message) {
          case ShardMessage.Deliver deliver -> deliver.message();
          case ShardMessage.Bounced bounced -> bounced.message();
          case ShardMessage.Failed failed -> failed.message();
          case ShardMessage.Forward forward -> forward.message();
          default -> null; // of no message, or only about one
        };
    if (it != null) {
      fate(it).nodes.add(life);
    }
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
    String pair = content.sender + " to " + content.key;
    int before = Objects.requireNonNullElse(lastDelivered.put(pair, content.number), 0);
    if (fate.isDelivered || before >= content.number) {
      throw new AssertionError("seed %d: %s after %d".formatted(seed, content, before));
    }
    assertThat(fate.isRefused).as("seed %d: %s was refused", seed, content).isFalse();
    fate.isDelivered = true;
  }

  void failed(EntityMessage message, Failure why) {
    told.merge(why, 1, Integer::sum);
    Fate fate = fate(message);
    fate.isTold = true;
    fate.isRefused = why != Failure.LOST;
    assertThat(fate.isRefused && fate.isDelivered).as("seed %d: %s", seed, message).isFalse();
  }

  /// A request has a reply, has failed, or was given up.
  void answered(Fate fate, @Nullable Object result, @Nullable Throwable failure) {
    if (result != null) {
      replies++;
      assertThat(fate.isDelivered).as("seed %d: %s", seed, result).isTrue();
      return;
    }
    fate.isTold = true; // nobody waits for it: it may be dropped where it is held
    if (!(failure instanceof CancellationException)) {
      failedAsks++;
    }
  }

  /// A life was killed, with all that it had.
  void killed(int life) {
    losses++;
    for (Fate fate : fates.values()) {
      fate.isExcused |= fate.nodes.contains(life);
    }
  }

  /// What all must be like when there were no faults for a time.
  void assertQuiet() {
    for (var fate : fates.entrySet()) {
      Fate it = fate.getValue();
      assertThat(it.isDelivered || it.isTold || it.isExcused)
          .as("seed %d: what became of %s", seed, fate.getKey())
          .isTrue();
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
    }
  }

  /// Without faults, all is delivered but what was refused for lack of space.
  void assertAllDelivered() {
    assertThat(told.keySet()).as("seed %d", seed).isSubsetOf(Failure.FULL);
    fates.forEach((content, fate) ->
        assertThat(fate.isDelivered || fate.isRefused).as("seed %d: %s", seed, content).isTrue());
  }

  static int shardOf(String key) {
    return KEYS.indexOf(key) % SHARDS;
  }
}
