// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.session.Ending;
import dev.heddle.cluster.wire.Urgent.Introduction;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How the last session with each node has ended, of the nodes that were last in session. Any
/// thread.
final class EndedSessions {
  /// Of so many nodes. A cluster has 64 at most; the others are those that it had.
  static final int MOST = 256;

  /// The last session with a node.
  record Ended(Introduction other, Ending why) {}

  private final Map<String, Ended> all = new LinkedHashMap<>(); // the oldest first; its own lock

  /// Adds one.
  ///
  /// @return the name of the node that is forgotten for it; null when none is
  @Nullable String put(Introduction other, Ending why) {
    synchronized (all) {
      all.remove(other.life().node());
      all.put(other.life().node(), new Ended(other, why));
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
