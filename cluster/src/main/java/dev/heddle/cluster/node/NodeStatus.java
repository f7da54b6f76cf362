// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.wire.NodeLife;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a node knows of another one, at one moment.
///
/// @param address empty when it is not known any more
/// @param node null when nobody has answered at the address
/// @param refusal why there is no session; null when there is no reason but silence
/// @param labels that it has told
/// @param roundTrip of the last ping; null when there is none
/// @param outboxBytes that wait to be sent
/// @param unacknowledgedBytes that it has not said to have taken
/// @param stalled whether it takes no more for now
/// @param last why the last session with it has ended; null when none has
public record NodeStatus(
    String address,
    @Nullable NodeLife node,
    State state,
    @Nullable String refusal,
    Map<String, String> labels,
    @Nullable Duration roundTrip,
    long outboxBytes,
    long unacknowledgedBytes,
    boolean stalled,
    @Nullable String last) {
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

  static NodeStatus away(
      String address,
      @Nullable NodeLife node,
      State state,
      @Nullable String refusal,
      Map<String, String> labels,
      @Nullable String last) {
    return new NodeStatus(address, node, state, refusal, labels, null, 0, 0, false, last);
  }
}
