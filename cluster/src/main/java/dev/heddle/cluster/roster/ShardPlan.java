// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.cluster.roster.Command.AssignShards;
import dev.heddle.cluster.roster.Command.Assignment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/// Decides which shards of a type change their owner: those whose owner has ended, and those that
/// rendezvous hashing gives to another host. The host of the type that is the first by name
/// decides.
///
/// It waits until the hosts of a type have not changed for 2 s: when several nodes join or leave
/// together, shards move once. At most 16 shards at a time move from or to one node, in one entry.
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
    boolean hasAsked;

    Type(SortedSet<String> hosts, long since) {
      this.hosts = hosts;
      this.since = since;
    }
  }

  private final Map<String, Type> types = new HashMap<>();

  /// The changes that a node is to submit. They are named again a second later, unless they have
  /// been applied.
  ///
  /// @param self the name of the node
  public List<AssignShards> poll(ShardTable table, String self, long nanos) {
    List<AssignShards> due = new ArrayList<>();
    for (String name : table.types()) {
      SortedSet<String> hosts = table.hosts(name);
      Type type = types.computeIfAbsent(name, _ -> new Type(hosts, nanos));
      if (!type.hosts.equals(hosts)) {
        type.hosts = hosts;
        type.since = nanos;
      }
      boolean isAsked = type.hasAsked && nanos - type.asked < REPEAT_NANOS;
      boolean isFirst = !hosts.isEmpty() && hosts.first().equals(self);
      if (!isFirst || isAsked || nanos - type.since < SETTLE_NANOS) {
        continue;
      }
      List<Assignment> changes = changes(table, name, hosts);
      if (!changes.isEmpty()) {
        type.hasAsked = true;
        type.asked = nanos;
        due.add(new AssignShards(name, changes));
      }
    }
    return due;
  }

  private static List<Assignment> changes(ShardTable table, String type, SortedSet<String> hosts) {
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
      String best = Rendezvous.choose(type + "/" + i, hosts);
      ShardState state = table.state(type, i);
      if (best == null || state.successor() != null) {
        continue;
      }
      Holder owner = state.owner();
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
