// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.name.RosterAccess;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.ShardPlan;
import dev.heddle.cluster.roster.ShardTable;
import dev.heddle.cluster.wire.NodeLife;
import java.util.Collection;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/// What this node says in the log about the shards that it hosts, and what the log says of them.
///
/// **Thread** any, but for [#tick]: one at a time.
final class ShardHosts {
  /*
   * A node says in the log that it hosts a type; it says so again each second until the log has it,
   * since a command may be lost. The first one decides how many shards there are: another node with
   * another number sends and hosts nothing, since a key would have two entities.
   *
   * A node that leaves says that it hosts nothing any more, and waits until others own what it had.
   * It does not wait when nobody is there to take it, or when its lease is over: then it may not
   * act for anything, and others get it without its help.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.shard");
  private static final long REPEAT_NANOS = 1_000_000_000L;

  /// A node that leaves waits so long for messages of nodes that have not heard of it yet: it gives
  /// them back, while they would end with the session.
  private static final long LEAVE_NANOS = 1_000_000_000L;

  /// What the log says of a type.
  private record Known(int count, Set<String> hosts) {}

  private final NodeLife self;
  private final RosterAccess log;
  private final Collection<EntityType> types; // of the service: it grows
  private final ConcurrentMap<String, Known> known = new ConcurrentHashMap<>(); // written by tick()

  // the thread of tick()
  private final ShardPlan plan = new ShardPlan();
  private long hostedAt;
  private boolean hasHosted;
  private long withdrawnAt;
  private boolean hasWithdrawn;
  private @Nullable ShardTable published;
  private long publishedVersion;

  // any thread
  private volatile boolean isWithdrawn;
  private volatile long lastDelivered = System.nanoTime(); // by another node
  private final CompletableFuture<@Nullable Void> released = new CompletableFuture<>();

  ShardHosts(NodeLife self, RosterAccess log, Collection<EntityType> types) {
    this.self = self;
    this.log = log;
    this.types = types;
  }

  /// Why a type with this number of shards is refused; null when it is not, or not known.
  @Nullable String refusal(String type, int count) {
    Known logged = known.get(type);
    return logged == null || logged.count == count
        ? null
        : "there are %d shards '%s' in this cluster, at nodes %s, and %d at node '%s'; use count(%d)"
            .formatted(logged.count, type, logged.hosts, count, self.node(), logged.count);
  }

  /// Another node has sent a message to an entity.
  void delivered() {
    lastDelivered = System.nanoTime();
  }

  /// Does what is due.
  void tick(Roster roster, long now) {
    ShardTable table = roster.shards();
    publish(table);
    if (log.admission() != 0 && (!hasHosted || now - hostedAt >= REPEAT_NANOS)) {
      hasHosted = true;
      hostedAt = now;
      types.forEach(type -> host(table, type));
    }
    withdraw(table, now);
    plan.poll(table, self.node(), now).forEach(log::submit);
  }

  private void publish(ShardTable table) {
    if (table == published && table.version() == publishedVersion) {
      return;
    }
    published = table;
    publishedVersion = table.version();
    for (String name : table.types()) {
      known.put(name, new Known(table.count(name), table.hosts(name)));
    }
  }

  private void host(ShardTable table, EntityType type) {
    int count = table.count(type.name);
    boolean isHost = table.hosts(type.name).contains(self.node());
    String refusal = refusal(type.name, type.count);
    if (refusal != null) {
      if (type.refusal() == null) {
        type.refuse(refusal);
        LOG.log(
            System.Logger.Level.ERROR,
            "node '%s' uses shards otherwise than the cluster, and sends nothing to them: %s"
                .formatted(self.node(), refusal));
      }
    } else if (count == 0 || (type.isHost() && !isHost && !isWithdrawn)) {
      boolean hosts = type.isHost() && !isWithdrawn;
      log.submit(
          new Command.HostShards(self.node(), log.admission(), type.name, type.count, hosts));
    }
  }

  /// Gives all shards away.
  ///
  /// @return completes when this node owns none, or nobody can take them
  CompletableFuture<@Nullable Void> leave() {
    isWithdrawn = true;
    if (types.isEmpty() || log.admission() == 0) {
      released.complete(null); // it has nothing
    }
    return released.copy();
  }

  private void withdraw(ShardTable table, long now) {
    if (!isWithdrawn || released.isDone()) {
      return;
    }
    boolean isHost = false;
    boolean isLast = true;
    for (EntityType type : types) {
      SortedSet<String> hosts = table.hosts(type.name);
      isHost |= hosts.contains(self.node());
      isLast &= hosts.isEmpty() || hosts.equals(Set.of(self.node()));
    }
    boolean isReleased =
        !isHost
            && now - lastDelivered >= LEAVE_NANOS
            && types.stream().allMatch(EntityType::isReleased);
    if (isLast || isReleased || !log.mayAct(log.admission())) {
      released.complete(null);
    } else if (isHost && (!hasWithdrawn || now - withdrawnAt >= REPEAT_NANOS)) {
      hasWithdrawn = true;
      withdrawnAt = now;
      log.submit(new Command.WithdrawHost(self.node(), log.admission()));
    }
  }
}
