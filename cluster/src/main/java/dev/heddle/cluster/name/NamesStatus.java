// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/// What a node knows of leases and names, at one moment.
///
/// @param voters the names of the nodes that vote
/// @param lease whether this node holds one, so that it may act for what it owns
/// @param obstacle why it is not renewed; empty when nothing is known
/// @param members the nodes that the log has admitted, by name
public record NamesStatus(
    SortedSet<String> voters, Lease lease, String obstacle, Map<String, Member> members) {
  /// Whether a node holds its lease.
  public enum Lease {
    /// not yet, since it has joined
    NONE,
    /// it does
    HELD,
    /// no more
    LOST,
    /// it has given it up
    LEFT
  }

  /// Copies the voters and members.
  public NamesStatus {
    voters = new TreeSet<>(voters);
    members = Map.copyOf(members);
  }

  /// A node that the log has admitted.
  ///
  /// @param ageNanos since this node has heard of its last renewal
  /// @param names how many it owns
  /// @param shards how many it owns
  public record Member(long ageNanos, int names, int shards) {}
}
