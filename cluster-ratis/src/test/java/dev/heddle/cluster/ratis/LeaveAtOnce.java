// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.Cluster;
import java.time.Duration;
import java.util.List;

/// Lets nodes leave at the end of a test, and hand nothing over: the last voter would wait for a
/// majority.
record LeaveAtOnce(List<Cluster> nodes) implements AutoCloseable {
  static LeaveAtOnce of(Cluster... nodes) {
    return new LeaveAtOnce(List.of(nodes));
  }

  @Override
  public void close() {
    nodes.forEach(LeaveAtOnce::end);
  }

  static void end(Cluster node) {
    try {
      node.leave(Duration.ZERO);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // the time of the test is over
    }
    node.close();
  }
}
