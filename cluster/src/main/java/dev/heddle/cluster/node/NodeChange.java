// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.session.SessionEnd;
import dev.heddle.cluster.wire.NodeLife;

/// A session was opened, or has ended.
public sealed interface NodeChange {
  NodeLife node();

  /// A node is in touch.
  record Opened(NodeLife node) implements NodeChange {}

  /// It no longer is.
  record Ended(NodeLife node, SessionEnd how) implements NodeChange {}
}
