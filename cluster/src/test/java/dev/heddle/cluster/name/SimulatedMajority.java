// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.NameStore;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.Ownership;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.wire.NodeLife;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A log of a majority of voters, in virtual time: one list of committed entries, and what a real
/// log may do to a command. It is lost, delayed, committed twice, or committed while its answer is
/// lost; what an isolated voter has submitted may be committed long after. Each voter applies the
/// entries at its own time, is elected as it likes, and takes itself for the leader for as long as
/// it likes, or until it applies an entry of a later one. The last one that was elected renews
/// leases without an entry, in its own time.
final class SimulatedMajority {
  private static final int SUBMIT_MILLIS = 5_000;

  private static final RosterCodec CODEC = RosterCodec.RELEASE;

  private record Entry(Delta delta, byte[] command, Outcome outcome, long term) {}

  /// From a time on a name has this token; 0 for none.
  private record Since(long nanos, long token) {}

  private final long seed;
  private final SimulatedTime time;
  private final Predicate<String> hasMajority;
  private final TreeMap<Long, Entry> entries = new TreeMap<>();
  private final Roster committed = new Roster();
  private final Map<String, List<Since>> history = new HashMap<>();
  private final Map<String, Long> lastTokens = new HashMap<>();
  private final Map<NodeLife, Runnable> renewing = new HashMap<>();
  private long leaderFrom; // there is none before
  private boolean losesLeave;
  private long lastTerm;
  private @Nullable Store elected; // last
  long moves;
  long unlogged; // renewals

  /// @param hasMajority whether a voter reaches a majority
  SimulatedMajority(long seed, SimulatedTime time, Predicate<String> hasMajority) {
    this.seed = seed;
    this.time = time;
    this.hasMajority = hasMajority;
  }

  /// The leader is lost for a while.
  void loseLeader() {
    leaderFrom =
        time.now()
            + time.between(time.scale.millis(1_000), time.scale.millis(4_000))
                * SimulatedTime.MILLI;
  }

  /// The next command of a node that leaves is lost.
  void loseNextLeave() {
    losesLeave = true;
  }

  /// The token of the last ownership of a name that was ever committed.
  long lastToken(String name) {
    return lastTokens.getOrDefault(name, 0L);
  }

  /// Runs something while the next renewal of a life is under way, or just after.
  void whenRenewing(NodeLife life, Runnable run) {
    renewing.put(life, run);
  }

  private void renewing(Command command) {
    if (command instanceof Command.Renew renew) {
      renewing.keySet().stream()
          .filter(life -> life.node().equals(renew.node()) && life.life() == renew.life())
          .findFirst()
          .ifPresent(life -> time.after(time.between(0, 50), renewing.remove(life)));
    }
  }

  /// A life of a node has left.
  void checkNotAdmitted(NodeLife life) {
    if (committed.admission(life.node(), life.life()) != 0) {
      throw new AssertionError("seed %d: %s has left, and is admitted".formatted(seed, life));
    }
  }

  /// The format of the log that is in force.
  int format() {
    return CODEC.inForce(committed);
  }

  /// Whether a singleton is declared.
  boolean isDeclared(String name) {
    return committed.singletons().get(name) != null;
  }

  /// Whether a name had this token, 0 for no owner, at some moment since a time.
  boolean had(String name, long token, long since) {
    List<Since> all = history.getOrDefault(name, List.of());
    long current = 0;
    for (Since each : all) {
      if (each.nanos > since && current == token) {
        return true;
      }
      current = each.token;
    }
    return current == token;
  }

  private void commit(Command command, CompletableFuture<Outcome> answer) {
    long previous = committed.applied();
    long index = previous + time.between(1, 4);
    int format = command instanceof Command.Raise it ? it.format() : CODEC.inForce(committed);
    byte[] bytes = CODEC.encode(command, format);
    Command decoded = CODEC.decodeCommand(bytes);
    committed.raise(format);
    Outcome outcome = committed.apply(index, decoded);
    Delta delta = new Delta(previous, index, decoded, format);
    entries.put(index, new Entry(delta, bytes, outcome, lastTerm));
    note();
    if (!time.chance(50)) {
      time.after(time.delay(), () -> answer.complete(outcome));
    }
  }

  private void note() {
    Map<String, Long> now = new HashMap<>();
    for (Ownership owner : committed.owners()) {
      now.put(owner.name(), owner.token());
      Long last = lastTokens.put(owner.name(), owner.token());
      if (last != null && last != owner.token()) {
        if (owner.token() < last) {
          throw new AssertionError("token %d of %s after %d".formatted(last, owner, last));
        }
        moves++;
      }
    }
    lastTokens
        .keySet()
        .forEach(name -> {
          long token = now.getOrDefault(name, 0L);
          List<Since> all = history.computeIfAbsent(name, _ -> new ArrayList<>());
          if (all.isEmpty() || all.getLast().token != token) {
            all.add(new Since(time.now(), token));
          }
        });
  }

  /// The store of one life of a voter.
  final class Store implements NameStore {
    private final String node;
    private final Listener listener;
    private final RosterCodec codec;
    private final Predicate<Runnable> whenRunning;
    private final Map<CompletableFuture<Long>, Long> barriers = new LinkedHashMap<>(); // in order
    private long applied;
    private long term; // while it takes itself for the leader
    private long before; // entries of earlier terms
    private boolean closed;

    /// @param whenRunning runs something as soon as the node is not paused; false when it is dead
    Store(String node, Listener listener, RosterCodec codec, Predicate<Runnable> whenRunning) {
      this.node = node;
      this.codec = codec;
      this.listener = listener;
      this.whenRunning = whenRunning;
      time.after(time.between(0, 100), this::turn);
    }

    private void turn() {
      if (!closed && whenRunning.test(this::apply)) {
        time.after(time.between(20, 60), this::turn);
      }
    }

    @SuppressWarnings("CollectionUndefinedEquality") // a future is equal to itself
    private void apply() {
      boolean isReached = hasMajority.test(node);
      if (term != 0) {
        term = time.chance(4) ? 0 : term;
      } else if (isReached && (hasLeader() ? time.chance(4) : time.isCalm() || time.chance(60))) {
        term = ++lastTerm;
        before = committed.applied();
        elected = this;
      }
      if (!isReached) {
        return;
      }
      if (applied == 0 && !entries.isEmpty() && time.random.nextBoolean()) {
        Roster state = new Roster();
        entries.forEach((index, it) -> state.apply(index, it.delta.command()));
        applied = state.applied();
        term = 0; // some of it may be of a later one
        listener.replaced(CODEC.snapshot(state, CODEC.inForce(state)));
      }
      long until = applied + (time.isCalm() ? 1_000 : time.between(1, 80));
      for (var entry : entries.tailMap(applied, false).headMap(until, true).entrySet()) {
        applied = entry.getKey();
        if (codec != CODEC) { // that has decoded it
          var _ = codec.decodeCommand(entry.getValue().command); // or this release ends here
        }
        term = entry.getValue().term > term ? 0 : term;
        listener.applied(entry.getValue().delta, entry.getValue().outcome);
      }
      for (var barrier : List.copyOf(barriers.entrySet())) {
        if (barrier.getValue() <= applied) {
          barriers.remove(barrier.getKey());
          barrier.getKey().complete(applied);
        }
      }
    }

    @Override
    public CompletableFuture<Outcome> submit(Command command) {
      CompletableFuture<Outcome> answer = new CompletableFuture<>();
      time.after(time.scale.millis(SUBMIT_MILLIS), () -> timeOut(answer));
      renewing(command);
      if (command instanceof Command.Renew renewal && time.random.nextInt(20) > 0) {
        time.after(time.delay(), () -> renew(renewal, answer));
      } else {
        submit(command, answer);
      }
      return answer;
    }

    private static void timeOut(CompletableFuture<?> answer) {
      if (!answer.isDone()) { // mostly it is, and a failure takes longer than the rest
        answer.completeExceptionally(new TimeoutException("5 s"));
      }
    }

    private void renew(Command.Renew renewal, CompletableFuture<Outcome> answer) {
      Store leader = elected;
      boolean isAsked = time.now() >= leaderFrom && hasMajority.test(node);
      if (!isAsked || leader == null || !leader.isElected()) {
        submit(renewal, answer);
        return;
      }
      long confirmed = leader.term;
      time.after(
          time.delay(),
          () -> {
            boolean _ =
                leader.whenRunning.test(() -> {
                  long admission = leader.listener.renewed(renewal, confirmed);
                  if (admission == 0) {
                    submit(renewal, answer);
                  } else if (!time.chance(50)) {
                    unlogged++;
                    time.after(
                        time.delay(), () -> answer.complete(new Outcome.Admitted(admission)));
                  }
                });
          });
    }

    /// Whether a majority says that it leads.
    private boolean isElected() {
      return term == lastTerm && term != 0 && !closed && hasMajority.test(node);
    }

    private static boolean isAlive(Store store) {
      return store.whenRunning.test(() -> {});
    }

    private boolean hasLeader() {
      Store last = elected;
      return last != null && last.isElected() && isAlive(last);
    }

    private void submit(Command command, CompletableFuture<Outcome> answer) {
      if (losesLeave && command instanceof Command.Leave) {
        losesLeave = false;
      } else if (hasMajority.test(node)) {
        for (int times = time.chance(50) ? 2 : 1; times > 0; times--) {
          if (!time.chance(50)) {
            long at = Math.max(leaderFrom, time.now() + time.delay() * SimulatedTime.MILLI);
            time.at(at, () -> commit(command, answer));
          }
        }
      } else if (time.chance(100)) {
        time.after(time.between(100, time.scale.millis(15_000)), () -> commit(command, answer));
      }
    }

    @Override
    public CompletableFuture<Long> barrier() {
      CompletableFuture<Long> answer = new CompletableFuture<>();
      time.after(time.scale.millis(SUBMIT_MILLIS), () -> timeOut(answer));
      if (hasMajority.test(node)) {
        time.at(
            Math.max(leaderFrom, time.now() + time.delay() * SimulatedTime.MILLI),
            () -> barriers.put(answer, committed.applied()));
      }
      return answer;
    }

    @Override
    public long term() {
      return applied >= before ? term : 0;
    }

    @Override
    public CompletableFuture<Boolean> handOver() {
      boolean has = isLeader();
      term = 0;
      return CompletableFuture.completedFuture(has);
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
