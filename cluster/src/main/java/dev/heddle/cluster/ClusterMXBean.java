// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.util.List;
import java.util.Map;

/// A node of a cluster for management tools: `dev.heddle:type=Cluster,name=...`, with the name of
/// the node, in the platform's MBean server. It is registered when the node joins if the server has
/// been used before, otherwise about a second after the first use, and removed when the node
/// leaves.
///
/// {@snippet class=dev.heddle.cluster.ClusterSnippetsTest region=bean}
///
/// @since 0.1
public interface ClusterMXBean {
  /// The name of the node.
  String getName();

  /// The name of its cluster.
  String getCluster();

  /// Where it listens.
  String getAddress();

  /// How many other nodes are in touch.
  int getNodesInTouch();

  /// As [Cluster#nodes()]: this node first.
  List<Node> getNodes();

  /// The names of the nodes that vote; none in a cluster without names.
  List<String> getVoters();

  /// The node that leads the voters, as far as this one knows; empty when it knows none.
  String getLeader();

  /// Pairs of nodes that have been out of touch with each other for 10 s or more, while each is in
  /// touch with some node; as `b and c`. As of the last second.
  ///
  /// Each node tells those in touch whom it sees. So a pair is known when at least one of its nodes
  /// is this one, or in touch with it.
  List<String> getBrokenPairs();

  /// A line for each node, and one for each reason and each broken pair.
  String table();

  /// The same as a JSON object.
  String dumpJson();

  /// A node, as [NodeInfo] has it, in values that tools know.
  ///
  /// @param name its name; empty of one that has not answered
  /// @param life of its runtime; 0 of one that has not answered
  /// @param address where it is, or was looked for; empty when it is not known
  /// @param state the name of a [NodeInfo.State]
  /// @param labels that it has announced
  /// @param leaseAgeMillis since the last renewal of its lease was heard of, which is up to 30 s
  ///   later than it was but at the leader of the voters; -1 when it holds none
  /// @param names how many its processes own
  /// @param shards how many it owns
  /// @param entities that run there, as it has last told
  /// @param roundTripMicros of the last ping; -1 when there was none
  /// @param outboxBytes that wait to be sent to it
  /// @param unacknowledgedBytes that are on their way to it
  /// @param windowBytes how many bytes of messages and the like may be on their way to it; one
  ///   packet may be longer; 0 when it takes nothing more, or is not in touch
  /// @param heldBytes of its messages that wait here for full mailboxes
  /// @param pausedReceivers its processes whose mailboxes are nearly full
  /// @param refusedHere messages, requests, orders and starts of it that were not accepted here
  /// @param refusedThere messages to it that were not accepted there
  /// @param dropped held messages that the end of the last session has dropped
  /// @param stalled whether it takes nothing more for now
  /// @param reason why the last connection to it has ended, or why there is none; empty for none
  /// @param endedAtMillis when the last connection has ended, in milliseconds since 1970; 0 when
  ///   that is not known
  record Node(
      String name,
      int life,
      String address,
      String state,
      Map<String, String> labels,
      long leaseAgeMillis,
      int names,
      int shards,
      int entities,
      long roundTripMicros,
      long outboxBytes,
      long unacknowledgedBytes,
      long windowBytes,
      long heldBytes,
      int pausedReceivers,
      long refusedHere,
      long refusedThere,
      long dropped,
      boolean stalled,
      String reason,
      long endedAtMillis) {
    /// Copies the labels.
    public Node {
      labels = Map.copyOf(labels);
    }
  }
}
