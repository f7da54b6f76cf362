// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.cluster.roster.Command.AssignShards;
import dev.heddle.cluster.roster.Command.Assignment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/// Decides which shards of a type change their owner: those whose owner has ended, and those that
/// rendezvous hashing gives to another host. The host of the type that is the first by name
/// decides.
///
/// It waits until the hosts of a type have not changed for 2 s: when several nodes join or leave
/// together, shards move once. Those of a node that leaves do not wait, since that node does. At
/// most 16 shards at a time move from or to one node; more follow as soon as some have moved.
///
/// A command has as many changes as fit into 128 KiB, first those of shards that nobody owns. The
/// next command of the type follows when the log has that one: so its commands do not fill an
/// outbox, and what is not applied is not computed again. A command without a bound was refused by
/// the log for ever.
///
/// A node that has not heard of an earlier one may decide, too: of two decisions about the same
/// generation the log lets one count.
public final class ShardPlan {
  private static final long SETTLE_NANOS = 2_000_000_000L;
  private static final long REPEAT_NANOS = 1_000_000_000L;
  private static final int MOVES = 16;

  private static final class Type {
    SortedSet<String> hosts;
    Rendezvous.Candidates candidates; // the same
    long since;
    @Nullable AssignShards asked; // last; null when the table has it
    long askedAt;
    long askedVersion; // of the table
    long quietVersion = -1; // of the table: at that one nothing was to be changed

    Type(SortedSet<String> hosts, long since) {
      this.hosts = hosts;
      this.candidates = new Rendezvous.Candidates(hosts);
      this.since = since;
    }
  }

  private final Map<String, Type> types = new HashMap<>();
  private @Nullable ShardTable known;

  /// The changes that a node is to submit. They are named again a second later, unless they have
  /// been applied.
  ///
  /// @param self the name of the node
  public List<AssignShards> poll(ShardTable table, String self, long nanos) {
    if (table != known) { // a snapshot: its versions are others
      known = table;
      types.values().forEach(type -> type.quietVersion = -1);
    }
    List<AssignShards> due = new ArrayList<>();
    for (String name : table.types()) {
      Type type = types.computeIfAbsent(name, _ -> new Type(table.hosts(name), nanos));
      if (type.quietVersion == table.version()) {
        continue;
      }
      AssignShards next = poll(table, name, type, self, nanos);
      if (next != null) {
        due.add(next);
      }
    }
    return due;
  }

  private static @Nullable AssignShards poll(
      ShardTable table, String name, Type type, String self, long nanos) {
    SortedSet<String> hosts = table.hosts(name);
    if (!type.hosts.equals(hosts)) {
      type.hosts = hosts;
      type.candidates = new Rendezvous.Candidates(hosts);
      type.since = nanos;
    }
    if (hosts.isEmpty() || !hosts.first().equals(self)) {
      return null; // it is the other's to decide
    }
    boolean isAsked = type.asked != null && nanos - type.askedAt < REPEAT_NANOS;
    if (isAsked && type.askedVersion == table.version()) {
      return null;
    }
    boolean isSettled = nanos - type.since >= SETTLE_NANOS;
    List<Assignment> changes = new Changes(table, name, type, isSettled).all;
    type.askedVersion = table.version();
    if (changes.isEmpty()) {
      type.asked = null;
      type.quietVersion = isSettled ? table.version() : type.quietVersion;
      return null;
    }
    AssignShards next = new AssignShards(name, changes);
    if (isAsked && next.equals(type.asked)) {
      return null; // it is on its way, and something else was applied
    }
    type.asked = next;
    type.askedAt = nanos;
    return next;
  }

  /// The changes of one command.
  private static final class Changes {
    private final ShardTable table;
    private final String name;
    private final Type type;
    private final boolean isSettled;
    private final Map<String, Integer> moves = new HashMap<>(); // by node
    private final List<Assignment> all = new ArrayList<>();
    private int left = RosterCodec.PART_BYTES;

    Changes(ShardTable table, String name, Type type, boolean isSettled) {
      this.table = table;
      this.name = name;
      this.type = type;
      this.isSettled = isSettled;
      if (addUnowned()) {
        addMoves();
      }
    }

    /// Shards that nobody owns, and those that are to leave their owner but have nowhere to go.
    ///
    /// @return whether there is room for more
    private boolean addUnowned() {
      for (int i = 0; i < table.count(name); i++) {
        ShardState state = table.state(name, i);
        boolean isUnowned = state.owner() == null || state.isMoving();
        if (isUnowned && mayChange(state) && !add(i, state, best(i))) {
          return false;
        }
      }
      return true;
    }

    private void addMoves() {
      for (int i = 0; i < table.count(name); i++) {
        ShardState state = table.state(name, i);
        if (state.isMoving()) {
          count(state.owner());
          count(state.successor());
        }
      }
      for (int i = 0; i < table.count(name); i++) {
        ShardState state = table.state(name, i);
        Holder owner = state.owner();
        if (owner == null || state.isMoving() || !mayChange(state)) {
          continue;
        }
        String best = best(i);
        if (!owner.node().equals(best) && mayMove(owner.node(), best)) {
          if (!add(i, state, best)) {
            return;
          }
          moves.merge(owner.node(), 1, Integer::sum);
          moves.merge(best, 1, Integer::sum);
        }
      }
    }

    private boolean mayChange(ShardState state) {
      Holder owner = state.owner();
      boolean isLeaving = owner != null && !type.hosts.contains(owner.node());
      return state.successor() == null && (isSettled || isLeaving);
    }

    private String best(int shard) {
      return Objects.requireNonNull(type.candidates.choose(name + "/" + shard));
    }

    /// @return false when there is no room for it; the first one has room
    private boolean add(int shard, ShardState state, String to) {
      Assignment next = new Assignment(shard, state.latest(), to);
      left -= ShardCodec.bytes(next);
      return (left >= 0 || all.isEmpty()) && all.add(next);
    }

    private void count(@Nullable Holder holder) {
      if (holder != null) {
        moves.merge(holder.node(), 1, Integer::sum);
      }
    }

    private boolean mayMove(String from, String to) {
      return moves.getOrDefault(from, 0) < MOVES && moves.getOrDefault(to, 0) < MOVES;
    }
  }
}
