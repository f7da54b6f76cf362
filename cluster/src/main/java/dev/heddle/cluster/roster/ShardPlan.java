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
/// most 16 shards at a time move from or to one node, in one entry; more follow as soon as some
/// have moved.
///
/// A node that has not heard of an earlier one may decide, too: of two decisions about the same
/// generation the log lets one count.
public final class ShardPlan {
  private static final long SETTLE_NANOS = 2_000_000_000L;
  private static final long REPEAT_NANOS = 1_000_000_000L;
  private static final int MOVES = 16;

  private static final class Type {
    SortedSet<String> hosts;
    long since;
    long asked;
    long askedVersion; // of the table
    boolean hasAsked;
    long quietVersion = -1; // of the table: at that one nothing was to be changed

    Type(SortedSet<String> hosts, long since) {
      this.hosts = hosts;
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
      List<Assignment> changes = poll(table, name, type, self, nanos);
      if (!changes.isEmpty()) {
        due.add(new AssignShards(name, changes));
      }
    }
    return due;
  }

  private static List<Assignment> poll(
      ShardTable table, String name, Type type, String self, long nanos) {
    SortedSet<String> hosts = table.hosts(name);
    if (!type.hosts.equals(hosts)) {
      type.hosts = hosts;
      type.since = nanos;
    }
    if (hosts.isEmpty() || !hosts.first().equals(self)) {
      return List.of(); // it is the other's to decide
    }
    boolean isAsked = type.askedVersion == table.version() && nanos - type.asked < REPEAT_NANOS;
    if (type.hasAsked && isAsked) {
      return List.of();
    }
    boolean isSettled = nanos - type.since >= SETTLE_NANOS;
    List<Assignment> changes = changes(table, name, hosts, isSettled);
    if (!changes.isEmpty()) {
      type.hasAsked = true;
      type.asked = nanos;
      type.askedVersion = table.version();
    } else if (isSettled) {
      type.quietVersion = table.version();
    }
    return changes;
  }

  private static List<Assignment> changes(
      ShardTable table, String type, SortedSet<String> hosts, boolean isSettled) {
    Map<String, Integer> moves = new HashMap<>();
    for (int i = 0; i < table.count(type); i++) {
      ShardState state = table.state(type, i);
      if (state.isMoving()) {
        count(moves, state.owner());
        count(moves, state.successor());
      }
    }
    List<Assignment> changes = new ArrayList<>();
    for (int i = 0; i < table.count(type); i++) {
      ShardState state = table.state(type, i);
      Holder owner = state.owner();
      boolean isLeaving = owner != null && !hosts.contains(owner.node());
      if (state.successor() != null || (!isSettled && !isLeaving)) {
        continue;
      }
      String best = Objects.requireNonNull(Rendezvous.choose(type + "/" + i, hosts));
      if (owner == null || state.isMoving()) {
        changes.add(new Assignment(i, state.latest(), best));
      } else if (!owner.node().equals(best) && mayMove(moves, owner.node(), best)) {
        changes.add(new Assignment(i, state.latest(), best));
        moves.merge(owner.node(), 1, Integer::sum);
        moves.merge(best, 1, Integer::sum);
      }
    }
    return changes;
  }

  private static void count(Map<String, Integer> moves, @Nullable Holder holder) {
    if (holder != null) {
      moves.merge(holder.node(), 1, Integer::sum);
    }
  }

  private static boolean mayMove(Map<String, Integer> moves, String from, String to) {
    return moves.getOrDefault(from, 0) < MOVES && moves.getOrDefault(to, 0) < MOVES;
  }
}
