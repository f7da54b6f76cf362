// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import java.util.List;
import java.util.Map;

/// What nodes tell each other outside the order of a session. It may be lost, repeated, and
/// overtake numbered packets. The header of its packet names the session, except for a [Hello] and
/// its [HelloRefused], which come before there is one.
public sealed interface Urgent {
  /// A node would like a session.
  record Hello(Introduction sender) implements Urgent {}

  /// The session is open.
  ///
  /// @param greeted the number of the greeter's [Hello]
  /// @param version of the wire, for this session
  record Welcome(Introduction sender, long greeted, int version) implements Urgent {}

  /// There will be no session.
  ///
  /// @param greeted the number of the greeter's [Hello]
  /// @param text why, with the values of both nodes
  record HelloRefused(String node, long greeted, Refusal why, String text) implements Urgent {}

  enum Refusal {
    OTHER_CLUSTER,
    NO_COMMON_VERSION,
    /// another live node has this name
    NAME_TAKEN,
    /// the node leaves
    LEAVING,
    /// a reason that this release does not know
    OTHER
  }

  /// Asks for a [Pong] of the same token.
  record Ping(long token) implements Urgent {}

  record Pong(long token) implements Urgent {}

  /// Nothing but the `ack` and the `window` of the header.
  record Ack() implements Urgent {}

  /// The node has no open session of this name.
  record Ended(String text) implements Urgent {}

  /// The session ends.
  record Goodbye(Farewell why, String text) implements Urgent {}

  enum Farewell {
    /// the node leaves the cluster, and has sent all it had to send
    LEAVING,
    /// the other node has broken the rules of the wire
    MALFORMED,
    /// a reason that this release does not know, or any other
    OTHER
  }

  /// What a node says of itself.
  ///
  /// @param number random: its half of the name of the session
  /// @param oldestVersion of the wire that it speaks, 0-255
  /// @param newestVersion of the wire that it speaks, 0-255
  /// @param features bits of what it can do besides
  /// @param entries names of what others may start there
  record Introduction(
      String cluster,
      NodeLife life,
      long number,
      int oldestVersion,
      int newestVersion,
      long features,
      Map<String, String> labels,
      List<String> entries) {
    public Introduction {
      labels = Map.copyOf(labels);
      entries = List.copyOf(entries);
    }

    /// What it can do besides.
    public Features can() {
      return Features.of(features);
    }
  }
}
