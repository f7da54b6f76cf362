// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.Engine.Address;
import dev.heddle.cluster.engine.Printable;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.session.Ending;
import dev.heddle.cluster.session.Greetings.Unanswered;
import dev.heddle.cluster.wire.NodeLife;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a node knows of another one, at one moment.
///
/// @param address empty when it is not known any more
/// @param node null when nobody has answered at the address
/// @param refusal why there is no session; null when there is no reason but silence
/// @param labels that it has told
/// @param isLeader whether it leads the log of names, as it has last told
/// @param entities that run there, as it has last told
/// @param roundTrip of the last ping; null when there is none
/// @param outboxBytes that wait to be sent
/// @param unacknowledgedBytes that it has not said to have taken
/// @param windowBytes how many may be so, but for one packet that is longer; 0 when it takes no
///   more
/// @param stalled whether it takes no more for now
/// @param counters of the session, or of the last one, as it was at its end; null when there was
///   none
/// @param last why the last session with it has ended; null when none has
/// @param endedAt when that was; null when it is not known
public record NodeStatus(
    String address,
    @Nullable NodeLife node,
    State state,
    @Nullable String refusal,
    Map<String, String> labels,
    boolean isLeader,
    int entities,
    @Nullable Duration roundTrip,
    long outboxBytes,
    long unacknowledgedBytes,
    int windowBytes,
    boolean stalled,
    RemoteNode.@Nullable Counters counters,
    @Nullable String last,
    @Nullable Instant endedAt) {
  /// How two nodes are in touch.
  public enum State {
    /// in session
    UP,
    /// in session, and this node leaves
    LEAVING,
    /// greeted, and not in session yet
    GREETING,
    /// the session has ended
    LOST,
    /// it has left
    LEFT
  }

  /// Nodes, and addresses that are greeted.
  ///
  /// @param found the nodes, by name
  /// @param open where those of them are that are in session: while a session opens, its address
  ///   may still be among the unanswered ones
  static List<NodeStatus> all(
      Map<String, NodeStatus> found, Set<Address> open, List<Unanswered> unanswered) {
    List<NodeStatus> all = new ArrayList<>(found.values());
    for (Unanswered each : unanswered) {
      NodeLife life = each.node();
      boolean isListed = life != null && found.containsKey(life.node());
      if (!open.contains(each.address()) && (!isListed || each.refusal() != null)) {
        all.add(greeted(each));
      }
    }
    return all;
  }

  /// A node whose last session has ended.
  static NodeStatus lost(EndedSessions.Ended last) {
    State state = last.why().cause() == Ending.Cause.LEFT ? State.LEFT : State.LOST;
    return new NodeStatus(
        "",
        last.other().life(),
        state,
        null,
        last.other().labels(),
        false,
        0,
        null,
        0,
        0,
        0,
        false,
        last.counters(),
        last.why().toString(),
        last.at());
  }

  private static NodeStatus greeted(Unanswered it) {
    Ending last = it.last();
    return new NodeStatus(
        it.address().toString(),
        shown(it.node()),
        State.GREETING,
        it.refusal(),
        Map.of(),
        false,
        0,
        null,
        0,
        0,
        0,
        false,
        null,
        last == null ? null : last.toString(),
        null);
  }

  /// The names of a stranger as people may see them.
  private static @Nullable NodeLife shown(@Nullable NodeLife stranger) {
    return stranger == null
        ? null
        : new NodeLife(
            Printable.of(stranger.node()), Printable.of(stranger.host()), stranger.life());
  }
}
