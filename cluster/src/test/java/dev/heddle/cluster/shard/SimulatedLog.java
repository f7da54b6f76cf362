// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.node.LoopbackSessions;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.LeaseExpiry;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.RosterCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Virtual time, faults, and the log: commands are lost, late, or committed twice; answers are
/// lost. It judges leases, as a leader does.
class SimulatedLog {
  static final long MILLI = 1_000_000;

  /// How long a history is, and how much happens in it.
  ///
  /// @param nodes how many, at most 4
  /// @param part of the times of the long one, as a divisor: of the history, of pauses, delays,
  ///   leases; faults are as many times more frequent
  record Scale(int nodes, int part, LeaseTimes times) {
    static final Scale LONG = new Scale(4, 1, LeaseTimes.DEFAULT);
    static final Scale SHORT = new Scale(3, 6, LeaseTimes.holding(Duration.ofMillis(1_500)));

    int millis(int ofLong) {
      return ofLong / part;
    }
  }

  private record Event(long nanos, long order, Runnable run) {}

  final long seed;
  final Random random;
  final Scale scale;
  final boolean isCalm;
  long now = 77_000_000_000L;
  boolean healed;
  final Roster committed = new Roster();
  final List<Delta> log = new ArrayList<>();
  final Map<String, Long> admissionEnded = new HashMap<>(); // by node: when the log last said so

  private final PriorityQueue<Event> events =
      new PriorityQueue<>((a, b) ->
          a.nanos != b.nanos ? Long.compare(a.nanos, b.nanos) : Long.compare(a.order, b.order));
  private long order;
  private LeaseExpiry expiry;
  private @Nullable LoopbackSessions network;

  /// @param isCalm whether there are no faults from the beginning
  SimulatedLog(long seed, Scale scale, boolean isCalm) {
    this.seed = seed;
    this.scale = scale;
    this.expiry = new LeaseExpiry(scale.times);
    this.isCalm = isCalm;
    this.healed = isCalm;
    this.random = new Random(seed);
    lead();
  }

  private void lead() {
    after(between(50, 150), this::lead);
    if (rarely(20)) { // another leader counts anew
      expiry = new LeaseExpiry(scale.times);
    }
    expiry.poll(committed, now).forEach(lost -> propose(lost, _ -> {}));
  }

  void propose(Command command, Consumer<Outcome> answer) {
    for (int times = chance(5) ? 2 : 1; times > 0; times--) {
      if (!chance(8)) {
        after(delay(), () -> commit(command, answer));
      }
    }
  }

  private void commit(Command command, Consumer<Outcome> answer) {
    long previous = committed.applied();
    long index = previous + between(1, 4);
    Command decoded = RosterCodec.RELEASE.decodeCommand(RosterCodec.RELEASE.encode(command));
    Outcome outcome = committed.apply(index, decoded);
    note(decoded);
    log.add(new Delta(previous, index, decoded));
    if (!chance(8)) {
      after(delay(), () -> answer.accept(outcome));
    }
  }

  private void note(Command applied) {
    switch (applied) {
      case Command.Lost(String node, int life, _) -> {
        if (committed.admission(node, life) == 0) {
          admissionEnded.put(node, now);
        }
      }
      case Command.Leave(String node, _) -> admissionEnded.put(node, now);
      default -> {}
    }
  }

  void runUntil(long end) {
    while (true) {
      long own = events.isEmpty() ? Long.MAX_VALUE : events.peek().nanos;
      long next = network == null ? own : Math.min(own, network.nextAt());
      if (next > end) {
        break;
      }
      now = Math.max(now, next);
      if (network != null) {
        network.advanceTo(now);
      }
      if (own <= now) {
        events.remove().run.run();
      }
    }
    now = end;
  }

  /// Sessions have the same time.
  void drives(LoopbackSessions sessions) {
    network = sessions;
  }

  void at(long nanos, Runnable run) {
    events.add(new Event(Math.max(now, nanos), order++, run));
  }

  void after(long millis, Runnable run) {
    at(now + millis * MILLI, run);
  }

  /// A fault that is rare in a long history.
  boolean rarely(int perTenThousand) {
    return !healed && random.nextInt(10_000) < perTenThousand * scale.part;
  }

  boolean chance(int percent) {
    return !healed && random.nextInt(100) < percent;
  }

  long between(int from, int to) {
    return (long) from + random.nextInt(to - from);
  }

  /// Mostly short, at times as long as a lease.
  long delay() {
    return chance(2) ? between(200, scale.millis(12_000)) : between(1, 30);
  }
}
