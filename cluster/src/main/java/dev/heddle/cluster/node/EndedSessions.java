// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.session.Ending;
import dev.heddle.cluster.wire.Urgent.Introduction;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How the last session with each node has ended, of the nodes that were last in session. Any
/// thread.
final class EndedSessions {
  /// Of so many nodes. A cluster has 64 at most; the others are those that it had.
  static final int MOST = 256;

  /// The last session with a node.
  ///
  /// @param counters as they were at the end
  record Ended(Introduction other, Ending why, Instant at, RemoteNode.Counters counters) {}

  private final Map<String, Ended> all = new LinkedHashMap<>(); // the oldest first; its own lock

  /// Adds one.
  ///
  /// @return the name of the node that is forgotten for it; null when none is
  @Nullable String put(Ended ended) {
    String node = ended.other.life().node();
    synchronized (all) {
      all.remove(node);
      all.put(node, ended);
      if (all.size() <= MOST) {
        return null;
      }
      String oldest = all.keySet().iterator().next();
      all.remove(oldest);
      return oldest;
    }
  }

  @Nullable Ended get(String node) {
    synchronized (all) {
      return all.get(node);
    }
  }

  /// A copy, by the names of the nodes.
  Map<String, Ended> all() {
    synchronized (all) {
      return Map.copyOf(all);
    }
  }
}
