// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.SoakDeeds.Deed;
import dev.heddle.cluster.SoakDeeds.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Judges the tokens of entities, by which a resource outside of the cluster tells a former owner
/// from the present one: it lets a write in unless it has seen a higher token. So it lets no stale
/// write in when
///
/// - the owners of a shard have tokens that grow, in the order of the log: each node writes down
///   the owners in that order;
/// - a token is that of one owner, and each entity acts with that of its own node.
final class SoakTokens {
  /// What a life of a node has heard of a shard.
  private record Heard(String at, int life, int shard) {}

  private record Ownership(int shard, long token) {}

  private final Map<Heard, Deed> latest = new HashMap<>();
  private final Map<Ownership, String> owners = new HashMap<>();
  private final Map<Integer, Long> highest = new HashMap<>(); // that has acted, by shard
  private final List<String> problems = new ArrayList<>();
  private long refused;

  /// @param deeds in the order of time
  SoakTokens(List<Deed> deeds) {
    deeds.stream().filter(it -> it.kind() == Kind.OWNER).forEach(this::owner);
    deeds.stream().filter(it -> it.kind() == Kind.GOT).forEach(this::acted);
  }

  private void owner(Deed deed) {
    String other = owners.putIfAbsent(new Ownership(deed.key(), deed.token()), deed.from());
    if (other != null && !other.equals(deed.from())) {
      problems.add("token: %s has that of an owner '%s'".formatted(deed, other));
    }
    if (deed.entity() == 0) { // it owns the shard now, and will not do so at some time
      Deed before = latest.put(new Heard(deed.at(), deed.life(), deed.key()), deed);
      if (before != null && before.token() >= deed.token()) {
        problems.add("token: %s owns the shard after %s".formatted(deed, before));
      }
    }
  }

  private void acted(Deed deed) {
    int shard = SoakShards.shardOf(deed.key());
    String owner = owners.get(new Ownership(shard, deed.token()));
    if (owner != null && !owner.equals(deed.at())) { // null: no node that lives has heard of it
      problems.add("token: %s acts with that of '%s'".formatted(deed, owner));
    }
    refused += deed.token() < highest.merge(shard, deed.token(), Math::max) ? 1 : 0;
  }

  List<String> problems() {
    return problems;
  }

  /// How many deeds of former owners a resource would have refused, as of nodes that were stopped.
  long refused() {
    return refused;
  }
}
