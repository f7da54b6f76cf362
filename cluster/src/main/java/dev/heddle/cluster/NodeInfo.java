// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A node as another one sees it at a moment.
///
/// @param name its name; null of one that has not answered
/// @param life of its runtime, as in its PIDs; 0 of one that has not answered
/// @param state whether it is in touch
/// @param labels that it has announced
/// @param entries what may be started there
/// @param roundTrip of the last ping; null when there was none
/// @param outboxBytes that wait to be sent to it
/// @param unacknowledgedBytes that are on their way to it
/// @param isStalled whether it takes nothing more for now
/// @param reason why the last connection to it has ended, or why there is none; null when there is
///   nothing to tell
/// @since 0.1
public record NodeInfo(
    @Nullable String name,
    int life,
    State state,
    Map<String, String> labels,
    List<String> entries,
    @Nullable Duration roundTrip,
    long outboxBytes,
    long unacknowledgedBytes,
    boolean isStalled,
    @Nullable String reason) {
  /// Copies the labels and entries.
  public NodeInfo {
    labels = Map.copyOf(labels);
    entries = List.copyOf(entries);
  }

  /// Whether a node is in touch.
  public enum State {
    /// in touch
    UP,
    /// there may be a node, which has not answered, or is refused
    GREETING,
    /// no longer in touch; it may be alive
    LOST,
    /// it has left
    LEFT
  }
}
