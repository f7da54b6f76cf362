// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.Ownership;
import dev.heddle.cluster.roster.Roster;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The roster as this node knows it, and the owners in it for any thread.
final class RosterReplica {
  private final Consumer<Roster> changed;

  // the agent
  private Roster roster = new Roster();

  // written by the agent, read by any thread
  private final Map<String, Ownership> owners = new ConcurrentHashMap<>();
  private volatile boolean isHere;

  /// @param changed is called after each change
  RosterReplica(Consumer<Roster> changed) {
    this.changed = changed;
  }

  /// Whether a state has come. Any thread.
  boolean isHere() {
    return isHere;
  }

  /// The owner of a name, as far as it is known here; null for none. Any thread.
  @Nullable Ownership lookup(String name) {
    return owners.get(name);
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
        }
      }
      case Command.Lost _, Command.Leave _ -> publishAll();
      case Command.ShardCommand _, Command.SingletonCommand _ -> {}
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
    roster = next;
    publishAll();
    isHere = true;
    changed.accept(roster);
  }

  private void publish(String name) {
    Ownership owner = roster.owner(name);
    if (owner == null) {
      owners.remove(name);
    } else {
      owners.put(name, owner);
    }
  }

  private void publishAll() {
    Map<String, Ownership> now = new HashMap<>();
    roster.owners().forEach(owner -> now.put(owner.name(), owner));
    owners.keySet().retainAll(now.keySet());
    owners.putAll(now);
  }
}
