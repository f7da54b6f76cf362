// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.roster.NodeDirectory;
import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;

/// Names a voter: the name of its node and the random id of its directory. A node whose disk was
/// lost is another voter: it has forgotten whom it voted for and what it acknowledged.
final class VoterId {
  private VoterId() {}

  static String of(NodeDirectory directory) {
    return of(directory.node(), directory.proof().directory());
  }

  static String of(String node, long directory) {
    return "%s#%016x".formatted(node, directory);
  }

  /// The name of the node.
  static String node(String id) {
    int end = id.lastIndexOf('#');
    return end < 0 ? id : id.substring(0, end);
  }

  static SortedSet<String> nodes(Collection<String> ids) {
    SortedSet<String> nodes = new TreeSet<>();
    ids.forEach(id -> nodes.add(node(id)));
    return nodes;
  }
}
