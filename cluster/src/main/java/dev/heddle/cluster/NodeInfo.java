// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Another node, or an address at which there may be one, as of a moment ago.
///
/// @param name of the node; empty for an address that has never been in touch
/// @param life the incarnation of its last known life; -1 when it has never been in touch
/// @param state whether it is in touch
/// @param address where it is
/// @param labels that it has announced
/// @param entries what may be started there
/// @param roundTrip of the last ping; null when there was none
/// @param outboxBytes that wait to be sent to it
/// @param unacknowledgedBytes that were sent to it and have not been acknowledged
/// @param isStalled whether it takes nothing more for now
/// @param lastEnd why the last session has ended; null when none has
/// @param refusal why there is no session; null when it is in touch, or does not answer
/// @since 0.1
public record NodeInfo(
    String name,
    int life,
    NodeState state,
    String address,
    Map<String, String> labels,
    List<String> entries,
    @Nullable Duration roundTrip,
    long outboxBytes,
    long unacknowledgedBytes,
    boolean isStalled,
    @Nullable String lastEnd,
    @Nullable String refusal) {}
