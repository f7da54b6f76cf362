// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.roster.Command.Origin;
import dev.heddle.cluster.roster.Command.Register;
import dev.heddle.cluster.roster.Command.Renew;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One random history: nodes that renew, register and act, over a model of a replicated log.
///
/// The log is a list of committed entries. What a real log may do to a command is done here: it is
/// lost, delayed, committed twice, or committed while its answer is lost. Each voter applies the
/// entries at its own time. Nodes and voters pause and go on where they stood; nodes are killed and
/// start again. Several voters at a time may take themselves for the leader and judge leases.
///
/// At each act for a name the model looks into the log: no later ownership of that name may have
/// been committed.
final class LeaseSimulation {
  private static final long MILLI = 1_000_000;
  private static final long RUN = 90_000 * MILLI;
  private static final List<String> NAMES = List.of("mayor", "clerk");

  private record Event(long nanos, long order, Runnable run) {}

  private final long seed;
  private final Random random;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>((a, b) ->
          a.nanos != b.nanos ? Long.compare(a.nanos, b.nanos) : Long.compare(a.order, b.order));
  private long now = 77_000_000_000L;
  private long order;
  private boolean healed;

  /// What all voters apply, and its state when all of it is applied.
  private final TreeMap<Long, Command> log = new TreeMap<>();

  private final Roster committed = new Roster();
  private final Map<Long, Outcome> outcomes = new HashMap<>();
  private final Map<String, Long> tokens = new HashMap<>();
  private final List<Voter> voters = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();

  long acts;
  long actsAfterHeal;
  long losses;
  long lapses;
  long moves;

  LeaseSimulation(long seed) {
    this.seed = seed;
    random = new Random(seed);
    for (int v = 0; v < 3; v++) {
      voters.add(new Voter());
    }
    for (String node : List.of("a", "b", "c", "d")) {
      nodes.add(new Node(node));
    }
  }

  void run() {
    runUntil(now + RUN);
    assertAgreement();
  }

  /// Ends all faults and runs on for longer than a lease.
  void heal() {
    healed = true;
    nodes.forEach(node -> node.resumed = Math.min(node.resumed, now));
    voters.forEach(voter -> voter.resumed = Math.min(voter.resumed, now));
    runUntil(now + 60_000 * MILLI); // pauses of 25 s that had begun, then a lease
    assertAgreement();
  }

  private void runUntil(long end) {
    while (!events.isEmpty() && events.peek().nanos <= end) {
      Event event = events.remove();
      now = event.nanos;
      event.run.run();
    }
    now = end;
  }

  private void after(long millis, Runnable run) {
    events.add(new Event(now + millis * MILLI, order++, run));
  }

  private boolean chance(int percent) {
    return !healed && random.nextInt(100) < percent;
  }

  private long between(int from, int to) {
    return (long) from + random.nextInt(to - from);
  }

  /// Mostly short, at times as long as a lease.
  private long delay() {
    return chance(3) ? between(200, 12_000) : between(1, 30);
  }

  // ---- the log ----

  private void propose(Command command, Consumer<Outcome> answer) {
    for (int times = chance(5) ? 2 : 1; times > 0; times--) {
      if (!chance(8)) {
        after(delay(), () -> commit(command, answer));
      }
    }
  }

  private void commit(Command command, Consumer<Outcome> answer) {
    long index = committed.applied() + between(1, 4);
    Command decoded = RosterCodec.RELEASE.decodeCommand(RosterCodec.RELEASE.encode(command));
    log.put(index, decoded);
    Outcome outcome = committed.apply(index, decoded);
    outcomes.put(index, outcome);
    noteTokens();
    if (!chance(8)) {
      after(
          delay(),
          () ->
              answer.accept(
                  RosterCodec.RELEASE.decodeOutcome(RosterCodec.RELEASE.encode(outcome))));
    }
  }

  private void noteTokens() {
    for (Ownership owner : committed.owners()) {
      Long last = tokens.put(owner.name(), owner.token());
      if (last != null && last != owner.token()) {
        assertThat(owner.token())
            .as("seed %d, token of %s", seed, owner.name())
            .isGreaterThan(last);
        moves++;
      }
    }
  }

  private void assertAgreement() {
    byte[] state = RosterCodec.RELEASE.snapshot(committed);
    for (Voter voter : voters) {
      voter.applyUpTo(Long.MAX_VALUE);
      assertThat(RosterCodec.RELEASE.snapshot(voter.roster)).as("seed %d", seed).isEqualTo(state);
    }
  }

  /// Applies the log, and at times takes itself for its leader.
  private final class Voter {
    private Roster roster = new Roster();
    private @Nullable LeaseExpiry expiry;
    private long resumed;

    Voter() {
      after(between(0, 100), this::turn);
    }

    private void turn() {
      if (now < resumed) {
        events.add(new Event(resumed, order++, this::turn));
        return;
      }
      after(between(50, 150), this::turn);
      if (chance(1)) {
        resumed = now + between(100, 20_000) * MILLI;
      }
      if (chance(2)) {
        roster = RosterCodec.RELEASE.restore(RosterCodec.RELEASE.snapshot(roster));
      }
      applyUpTo(roster.applied() + between(1, 40));
      if (expiry == null ? healed || chance(5) : chance(2)) {
        expiry = expiry == null ? new LeaseExpiry(LeaseTimes.DEFAULT) : null;
      }
      if (expiry != null) {
        for (Command.Lost lost : expiry.poll(roster, now)) {
          losses++;
          propose(lost, _ -> {});
        }
      }
    }

    private void applyUpTo(long index) {
      for (var entry : log.tailMap(roster.applied(), false).entrySet()) {
        if (entry.getKey() > index) {
          return;
        }
        Outcome outcome = roster.apply(entry.getKey(), entry.getValue());
        if (!outcome.equals(outcomes.get(entry.getKey()))) {
          throw new AssertionError("seed %d: entry %s".formatted(seed, entry.getKey()));
        }
      }
    }
  }

  /// A node with the threads that a real one has: all of them stop while it is paused.
  private final class Node {
    private final String name;
    private final long directory = random.nextLong();
    private final boolean hasDirectory = random.nextBoolean();
    private long starts;
    private long resumed;
    private Life life;

    Node(String name) {
      this.name = name;
      life = new Life(this);
      after(between(0, 2_000), this::turn);
    }

    private void turn() {
      if (now < resumed) {
        events.add(new Event(resumed, order++, this::turn));
        return;
      }
      if (chance(1) && chance(40)) {
        resumed = now + between(100, 25_000) * MILLI;
        events.add(new Event(resumed, order++, () -> life.act())); // it goes on where it stood
        events.add(new Event(resumed, order++, this::turn));
        return;
      }
      if (chance(1) && chance(20)) {
        life.dead = true;
        life = new Life(this);
      }
      life.turn();
      after(between(20, 120), this::turn);
    }
  }

  private final class Life {
    private final Node node;
    private final int number;
    private final @Nullable StorageProof proof;
    private final Lease lease = new Lease(LeaseTimes.DEFAULT);
    private final Map<String, Long> owned = new HashMap<>();
    private final Map<String, Command> asked = new HashMap<>();
    private final Map<String, Long> askedAt = new HashMap<>();
    private long admission;
    private long requests;
    private boolean wasHeld;
    private boolean dead;

    Life(Node node) {
      this.node = node;
      number = random.nextInt(Integer.MAX_VALUE);
      proof = node.hasDirectory ? new StorageProof(node.directory, ++node.starts) : null;
    }

    private void turn() {
      if (lease.isDue(now)) {
        long start = lease.renewing(now);
        propose(
            new Renew(node.name, number, proof),
            outcome -> whenRunning(() -> renewed(start, outcome)));
      }
      boolean held = lease.isHeld(admission, now);
      if (wasHeld && !held) {
        lapses++;
      }
      wasHeld = held;
      act();
      if (held) {
        NAMES.forEach(this::ask);
      }
    }

    private void whenRunning(Runnable run) {
      if (dead) {
        return;
      }
      if (now < node.resumed) {
        events.add(new Event(node.resumed, order++, () -> whenRunning(run)));
      } else {
        run.run();
      }
    }

    private void renewed(long start, Outcome outcome) {
      if (!(outcome instanceof Outcome.Admitted(long admitted))) {
        return;
      }
      lease.acknowledged(start, admitted);
      if (lease.admission() != admission) {
        admission = lease.admission();
        owned.clear();
        asked.clear();
        requests = 0;
      }
    }

    private void ask(String name) {
      if (owned.containsKey(name)) {
        if (chance(1)) {
          long token = owned.remove(name); // it stops acting before it gives the name back
          request(name, new Command.Unregister(origin(), name, token));
        }
        return;
      }
      Command open = asked.get(name);
      if (open == null) {
        Origin origin = origin();
        Pid pid = new Pid(node.name, "h", origin.number(), number);
        request(name, new Register(origin, name, pid));
      } else if (now - askedAt.get(name) >= 1_000 * MILLI) {
        request(name, open);
      }
    }

    private static long numberOf(Command command) {
      return command instanceof Register register
          ? register.origin().number()
          : ((Command.Unregister) command).origin().number();
    }

    private void request(String name, Command command) {
      asked.put(name, command);
      askedAt.put(name, now);
      propose(command, outcome -> whenRunning(() -> answered(name, command, outcome)));
    }

    private Origin origin() {
      long request = ++requests;
      long settled = asked.values().stream().mapToLong(Life::numberOf).min().orElse(request);
      return new Origin(node.name, admission, request, settled);
    }

    private void answered(String name, Command sent, Outcome outcome) {
      if (asked.get(name) != sent) {
        return;
      }
      asked.remove(name);
      if (outcome instanceof Outcome.Registered(long token)) {
        owned.put(name, token);
      }
    }

    private void act() {
      if (dead || !lease.isHeld(admission, now)) {
        return;
      }
      owned.forEach((name, token) -> {
        acts++;
        actsAfterHeal += healed ? 1 : 0;
        if (!token.equals(tokens.get(name))) {
          throw new AssertionError(
              "seed %d: %s acts for %s by token %d, a later one is %d"
                  .formatted(seed, node.name, name, token, tokens.get(name)));
        }
      });
    }
  }
}
