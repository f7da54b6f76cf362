// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.cluster.roster.Command.AssignShards;
import dev.heddle.cluster.roster.Command.Assignment;
import dev.heddle.cluster.roster.Command.HostShards;
import dev.heddle.cluster.roster.Command.Release;
import dev.heddle.cluster.roster.Command.ReleaseShards;
import dev.heddle.cluster.roster.Command.WithdrawHost;
import dev.heddle.cluster.roster.Outcome.Reason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Who owns the shards, and which nodes may: a part of a [Roster].
public final class ShardTable {
  /*
   * States of one shard.
   *
   * from    event                                        to      what follows
   * FREE    AssignShards to a host                       OWNED   generation := the index
   * OWNED   AssignShards to another host                 MOVING  next := the index
   * OWNED   its owner ends                               FREE
   * OWNED   its predecessor ends                         OWNED   nothing is handed over any more
   * MOVING  ReleaseShards by its owner                   OWNED   by the successor, which waits for
   *                                                              what its predecessor hands over
   * MOVING  its owner ends                               OWNED   by the successor
   * MOVING  its successor ends                           MOVING  without one
   * MOVING, without a successor: AssignShards to a host  MOVING  next := the index
   * MOVING, without a successor: its owner ends          FREE
   *
   * A node ends when it is lost, when it leaves, and when another life of it is admitted.
   *
   * An assignment names the generation that it was decided by, so of two that were decided at the
   * same time one counts, and a repetition does nothing.
   *
   * I1. A generation has one owner; generations of a shard grow. [ShardTableTest]
   * I2. While a shard moves its owner stays its owner, until that one says that it has stopped.
   *     [ShardTableTest, ShardSimulationTest]
   *
   * Hosts say of themselves in the log that they are; the choice of an owner needs nothing else, so
   * each node makes the same.
   *
   * Those who follow the table ask for what has changed since they last looked: an entry of the log
   * costs them as much as it changes. The last 4,096 changes are kept; who is further behind looks
   * at all shards.
   */
  private static final int CHANGES = 4_096;

  /// One shard of a type.
  public record ShardId(String type, int shard) {}

  /// The shards of one type.
  static final class Shards {
    final SortedMap<String, Holder> hosts = new TreeMap<>(); // by node
    final ShardState[] states;

    Shards(int count) {
      states = new ShardState[count];
      Arrays.fill(states, ShardState.EMPTY);
    }
  }

  private final SortedMap<String, Shards> types = new TreeMap<>();
  private final Map<String, Long> withdrawn = new HashMap<>(); // by node: in which admission
  private final Map<String, Integer> owned = new HashMap<>(); // shards by owner
  private final Deque<ShardId> lastChanges = new ArrayDeque<>(0); // the last of `changes`
  private long changes;
  private long version;
  private Listener listener = (_, _, _) -> {};

  /// Hears of each change.
  @FunctionalInterface
  public interface Listener {
    /// A shard has another state.
    void changed(ShardId shard, ShardState before, ShardState after);
  }

  ShardTable() {}

  /// Another listener of all changes from now on.
  public void onChange(Listener next) {
    listener = next;
  }

  /// How many shards each node owns; one that owns none may be left out.
  public Map<String, Integer> owned() {
    return Map.copyOf(owned);
  }

  /// The names of the types, sorted.
  public Set<String> types() {
    return SortedNames.copyOf(types.keySet());
  }

  /// How many shards a type has; 0 when it is unknown.
  public int count(String type) {
    Shards shards = types.get(type);
    return shards == null ? 0 : shards.states.length;
  }

  /// The nodes that host a type, sorted.
  public SortedSet<String> hosts(String type) {
    Shards shards = types.get(type);
    return shards == null ? new TreeSet<>() : new TreeSet<>(shards.hosts.keySet());
  }

  /// The state of one shard.
  public ShardState state(String type, int shard) {
    Shards shards = types.get(type);
    return shards == null ? ShardState.EMPTY : shards.states[shard];
  }

  /// How often a shard of this table has changed. The table of a later snapshot counts anew.
  public long changes() {
    return changes;
  }

  /// The shards that have changed since a count of [#changes].
  ///
  /// @return null when that is too long ago
  public @Nullable List<ShardId> changedSince(long seen) {
    long missed = changes - seen;
    if (missed > lastChanges.size()) {
      return null;
    }
    List<ShardId> last = new ArrayList<>((int) missed);
    Iterator<ShardId> newest = lastChanges.descendingIterator();
    while (last.size() < missed) {
      last.add(newest.next());
    }
    return last;
  }

  /// Grows with each change of a shard or of the hosts of a type.
  public long version() {
    return version;
  }

  private void set(String type, Shards shards, int shard, ShardState next) {
    if (shards.states[shard].equals(next)) {
      return;
    }
    ShardState before = shards.states[shard];
    put(shards, shard, next);
    version++;
    changes++;
    ShardId id = new ShardId(type, shard);
    lastChanges.add(id);
    if (lastChanges.size() > CHANGES) {
      lastChanges.remove();
    }
    listener.changed(id, before, next);
  }

  private void put(Shards shards, int shard, ShardState next) {
    Holder before = shards.states[shard].owner();
    Holder after = next.owner();
    if (before != null) {
      owned.merge(before.node(), -1, Integer::sum);
    }
    if (after != null) {
      owned.merge(after.node(), 1, Integer::sum);
    }
    shards.states[shard] = next;
  }

  // ---- commands ----

  Outcome host(HostShards command) {
    Shards shards = types.computeIfAbsent(command.type(), _ -> new Shards(command.count()));
    if (shards.states.length != command.count()) {
      return new Outcome.Refused(Reason.SHARD_COUNT);
    }
    Long left = withdrawn.get(command.node());
    if (command.isHost() && (left == null || left != command.admission())) {
      shards.hosts.put(command.node(), new Holder(command.node(), command.admission()));
    }
    version++;
    return new Outcome.Done();
  }

  Outcome withdraw(WithdrawHost command) {
    withdrawn.put(command.node(), command.admission());
    types.values().forEach(shards -> shards.hosts.remove(command.node()));
    version++;
    return new Outcome.Done();
  }

  Outcome assign(long index, AssignShards command) {
    Shards shards = types.get(command.type());
    if (shards != null) {
      command.assignments().forEach(it -> assign(index, command.type(), shards, it));
    }
    return new Outcome.Done();
  }

  private void assign(long index, String type, Shards shards, Assignment it) {
    Holder to = shards.hosts.get(it.to()); // one object for all its shards
    if (to == null || it.shard() < 0 || it.shard() >= shards.states.length) {
      return;
    }
    ShardState state = shards.states[it.shard()];
    if (state.latest() != it.latest() || state.successor() != null) {
      return;
    }
    if (state.owner() == null) {
      set(type, shards, it.shard(), new ShardState(index, to, null, 0, null));
    } else if (state.isMoving() || !state.owner().equals(to)) {
      set(type, shards, it.shard(), state.moving(index, to));
    }
  }

  Outcome release(ReleaseShards command) {
    Holder by = new Holder(command.node(), command.admission());
    Shards shards = types.get(command.type());
    if (shards != null) {
      command.releases().forEach(it -> release(command.type(), shards, by, it));
    }
    return new Outcome.Done();
  }

  private void release(String type, Shards shards, Holder by, Release it) {
    if (it.shard() < 0 || it.shard() >= shards.states.length) {
      return;
    }
    ShardState state = shards.states[it.shard()];
    if (by.equals(state.owner()) && state.next() == it.next() && state.successor() != null) {
      set(type, shards, it.shard(), state.succeeded(by));
    }
  }

  /// What a node owned and hosted is over.
  void ended(String node) {
    withdrawn.remove(node);
    version++;
    types.forEach((type, shards) -> {
      shards.hosts.remove(node);
      for (int i = 0; i < shards.states.length; i++) {
        set(type, shards, i, shards.states[i].without(node));
      }
    });
  }

  // ---- for RosterCodec ----

  SortedMap<String, Shards> all() {
    return types;
  }

  SortedMap<String, Long> withdrawn() {
    return new TreeMap<>(withdrawn);
  }

  Shards restore(String type, int count) {
    Shards shards = new Shards(count);
    types.put(type, shards);
    return shards;
  }

  void restore(Shards shards, int shard, ShardState state) {
    put(shards, shard, state);
  }

  void restoreWithdrawn(String node, long admission) {
    withdrawn.put(node, admission);
  }
}
