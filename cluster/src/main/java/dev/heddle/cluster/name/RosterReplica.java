// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.observe.ClusterJfrEvents;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.Holder;
import dev.heddle.cluster.roster.Ownership;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.ShardState;
import dev.heddle.cluster.roster.ShardTable;
import dev.heddle.cluster.roster.ShardTable.ShardId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The roster as this node knows it, and the owners in it for any thread.
final class RosterReplica {
  private final String self;
  private final LongSupplier clock;
  private final Consumer<Roster> changed;

  // the agent
  private Roster roster = new Roster();
  private long shardChanges; // that `shards` has

  // written by the agent, read by any thread
  private final Map<String, Ownership> owners = new ConcurrentHashMap<>();
  private final Map<String, Long> renewed = new ConcurrentHashMap<>(); // by admitted node, nanos
  private volatile Map<String, Integer> shards = Map.of(); // how many, by node
  private volatile boolean isHere;

  /// @param self the name of this node
  /// @param changed is called after each change
  RosterReplica(String self, LongSupplier clock, Consumer<Roster> changed) {
    this.self = self;
    this.clock = clock;
    this.changed = changed;
    roster.shards().onChange(this::record);
  }

  /// Whether a state has come. Any thread.
  boolean isHere() {
    return isHere;
  }

  /// The owner of a name, as far as it is known here; null for none. Any thread.
  @Nullable Ownership lookup(String name) {
    return owners.get(name);
  }

  /// The admitted nodes, with the age of their leases, and how much they own. Any thread.
  Map<String, NamesStatus.Member> members() {
    Map<String, Long> names =
        owners.values().stream()
            .collect(Collectors.groupingBy(Ownership::node, Collectors.counting()));
    long now = clock.getAsLong();
    Map<String, NamesStatus.Member> members = new HashMap<>();
    Map<String, Integer> owned = shards;
    renewed.forEach((node, at) ->
        members.put(
            node,
            new NamesStatus.Member(
                Math.max(0, now - at),
                names.getOrDefault(node, 0L).intValue(),
                owned.getOrDefault(node, 0))));
    return members;
  }

  /// The lease of a node was renewed without the log. Any thread.
  void renewed(String node) {
    renewed.computeIfPresent(node, (_, _) -> clock.getAsLong());
  }

  // ---- the agent ----

  Roster roster() {
    return roster;
  }

  /// Applies what has been applied elsewhere.
  ///
  /// @return false when something is missing before it
  boolean follow(Delta delta) {
    if (delta.index() <= roster.applied()) {
      return true;
    }
    long before = admission(delta.command());
    if (!roster.follow(delta)) {
      return false;
    }
    switch (delta.command()) {
      case Command.Register(_, String name, _) -> publish(name);
      case Command.Unregister(_, String name, _) -> publish(name);
      case Command.Renew renew -> {
        if (before != admission(renew)) {
          publishAll();
        } else if (before != 0) {
          renewed.put(renew.node(), clock.getAsLong());
        }
      }
      case Command.Lost _, Command.Leave _ -> publishAll();
      case Command.Raise _ -> {}
      case Command.ShardCommand _ -> publishShards();
      case Command.SingletonCommand _ -> {}
    }
    isHere = true;
    changed.accept(roster);
    return true;
  }

  private long admission(Command command) {
    return command instanceof Command.Renew renew
        ? roster.admission(renew.node(), renew.life())
        : 0;
  }

  /// A whole state has come; one that is older than the present one is ignored.
  void replace(Roster next) {
    if (isHere && next.applied() <= roster.applied()) {
      return;
    }
    ShardTable before = roster.shards();
    roster = next;
    next.shards().onChange(this::record);
    if (ClusterJfrEvents.areRecorded()) {
      recordAll(before, next.shards());
    }
    shardChanges = -1; // those of the table before
    publishAll();
    isHere = true;
    changed.accept(roster);
  }

  private void publish(String name) {
    Ownership owner = roster.owner(name);
    Ownership before = owner == null ? owners.remove(name) : owners.put(name, owner);
    if (ClusterJfrEvents.areRecorded()) {
      record(name, before, owner);
    }
  }

  private void record(String name, @Nullable Ownership before, @Nullable Ownership after) {
    long tokenBefore = before == null ? 0 : before.token();
    long token = after == null ? 0 : after.token();
    if (token != tokenBefore) {
      String from = before == null ? "" : before.node();
      String to = after == null ? "" : after.node();
      ClusterJfrEvents.moved(new ClusterJfrEvents.Move(self, name, from, to, token));
    }
  }

  private void publishShards() {
    ShardTable table = roster.shards();
    if (table.changes() != shardChanges) {
      shardChanges = table.changes();
      shards = table.owned();
    }
  }

  private void recordAll(ShardTable before, ShardTable after) {
    Set<String> types = new TreeSet<>(before.types());
    types.addAll(after.types());
    for (String type : types) {
      for (int i = 0; i < Math.max(before.count(type), after.count(type)); i++) {
        record(new ShardId(type, i), before.state(type, i), after.state(type, i));
      }
    }
  }

  private void record(ShardId shard, ShardState before, ShardState after) {
    Holder last = before.owner();
    Holder owner = after.owner();
    boolean isSame =
        owner == null ? last == null : last != null && before.generation() == after.generation();
    if (isSame || !ClusterJfrEvents.areRecorded()) {
      return;
    }
    ClusterJfrEvents.moved(
        shard.shard(),
        new ClusterJfrEvents.Move(
            self,
            shard.type(),
            last == null ? "" : last.node(),
            owner == null ? "" : owner.node(),
            owner == null ? 0 : after.generation()));
  }

  private void publishAll() {
    publishShards();
    Map<String, Ownership> now = new HashMap<>();
    roster.owners().forEach(owner -> now.put(owner.name(), owner));
    if (ClusterJfrEvents.areRecorded()) {
      Set<String> names = new TreeSet<>(owners.keySet());
      names.addAll(now.keySet());
      names.forEach(name -> record(name, owners.get(name), now.get(name)));
    }
    owners.keySet().retainAll(now.keySet());
    owners.putAll(now);
    List<String> admitted = roster.admitted();
    renewed.keySet().retainAll(admitted);
    admitted.forEach(node -> renewed.putIfAbsent(node, clock.getAsLong()));
  }
}
