// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A node as another one sees it at a moment.
///
/// {@snippet class=dev.heddle.cluster.ClusterSnippetsTest region=nodes}
///
/// @param name its name; null of one that has not answered
/// @param life of its runtime, as in its PIDs; 0 of one that has not answered
/// @param address where it is, or was looked for; empty when it is not known
/// @param state whether it is in touch
/// @param labels that it has announced
/// @param entries what may be started there
/// @param isLeader whether it leads the voters, as it has last told
/// @param lease what it owns in the cluster; null when it holds no lease, or there are no voters
/// @param entities that run there, as it has last told: each second
/// @param roundTrip of the last ping; null when there was none
/// @param outboxBytes that wait to be sent to it
/// @param unacknowledgedBytes that are on their way to it
/// @param windowBytes how many bytes of messages and the like may be on their way to it; one packet
///   may be longer; 0 when it takes nothing more, or is not in touch
/// @param heldBytes of its messages that wait here for full mailboxes
/// @param pausedReceivers its processes whose mailboxes are nearly full
/// @param refusedHere messages, requests, orders and starts of it that were not accepted here, in
///   this session or the last one
/// @param refusedThere messages to it that were not accepted there, in the same session
/// @param dropped held messages that the end of the last session has dropped
/// @param isStalled whether it takes nothing more for now
/// @param reason why the last connection to it has ended, or why there is none; null when there is
///   nothing to tell
/// @param endedAt when the last connection has ended; null when that is not known
/// @since 0.1
public record NodeInfo(
    @Nullable String name,
    int life,
    String address,
    State state,
    Map<String, String> labels,
    List<String> entries,
    boolean isLeader,
    @Nullable Lease lease,
    int entities,
    @Nullable Duration roundTrip,
    long outboxBytes,
    long unacknowledgedBytes,
    long windowBytes,
    long heldBytes,
    int pausedReceivers,
    long refusedHere,
    long refusedThere,
    long dropped,
    boolean isStalled,
    @Nullable String reason,
    @Nullable Instant endedAt) {
  /// Copies the labels and entries.
  public NodeInfo {
    labels = Map.copyOf(labels);
    entries = List.copyOf(entries);
  }

  /// The lease of a node, as the voters have told it last.
  ///
  /// @param age since the last renewal was heard of
  /// @param names how many names the processes of the node own
  /// @param shards how many shards the node owns, of all types
  public record Lease(Duration age, int names, int shards) {}

  /// Whether a node is in touch.
  public enum State {
    /// in touch
    UP,
    /// the node that asks has lost its lease: it may own no names until a majority of the voters
    /// has given it another one
    ISOLATED,
    /// in touch, and this node leaves the cluster
    LEAVING,
    /// there may be a node, which has not answered, or is refused
    GREETING,
    /// no longer in touch; it may be alive
    LOST,
    /// it has left
    LEFT
  }
}
