// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.session.SessionEnd;
import dev.heddle.cluster.wire.NodeLife;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Another node, or an address at which there may be one, as of a moment ago.
///
/// @param address where it is
/// @param life its last known life; null when it has never been in touch
/// @param state whether it is in touch
/// @param labels that it has announced
/// @param entries what may be started there
/// @param roundTripNanos the last time between a ping and its answer; -1 when there was none
/// @param outboxBytes that wait to be sent to it
/// @param unacknowledgedBytes that were sent to it
/// @param heldBytes of its messages, which wait here behind full mailboxes
/// @param lastEnd how the last session has ended; null when none has
/// @param refusal why there is no session; null when it is in touch, or does not answer
public record NodeStatus(
    Engine.Address address,
    @Nullable NodeLife life,
    State state,
    Map<String, String> labels,
    List<String> entries,
    long roundTripNanos,
    long outboxBytes,
    long unacknowledgedBytes,
    long heldBytes,
    @Nullable SessionEnd lastEnd,
    @Nullable String refusal) {
  /// Whether a node is in touch.
  public enum State {
    /// there is a session
    UP,
    /// it was never in touch
    GREETING,
    /// its session has ended; it may be alive
    LOST,
    /// it has left
    LEFT
  }
}
