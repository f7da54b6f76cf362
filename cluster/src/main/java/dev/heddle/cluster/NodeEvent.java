// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import org.jspecify.annotations.Nullable;

/// A node is in touch, or no longer is.
///
/// @param node its name
/// @param life its incarnation
/// @param state what it is now: `UP`, `LOST` or `LEFT`
/// @param why the session has ended; null when it is `UP`
/// @since 0.1
public record NodeEvent(String node, int life, NodeState state, @Nullable String why) {}
