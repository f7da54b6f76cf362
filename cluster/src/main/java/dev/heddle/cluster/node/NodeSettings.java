// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.peer.PeerOptions;
import dev.heddle.cluster.session.SessionTimes;
import dev.heddle.cluster.wire.MessageTypes;
import java.util.Map;

/// What a node is made of.
///
/// @param cluster the name of its cluster; only nodes of one name come together
/// @param labels for others to choose by
/// @param types of the messages that it sends and takes
/// @param peers what the others may do here
/// @param times of its sessions
public record NodeSettings(
    String cluster,
    Map<String, String> labels,
    MessageTypes types,
    PeerOptions peers,
    SessionTimes times) {
  public NodeSettings {
    labels = Map.copyOf(labels);
  }
}
