// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.Cluster;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Lets nodes leave at the end of a test, and hand nothing over: the last voter would wait for a
/// majority.
record LeaveAtOnce(List<Cluster> nodes) implements AutoCloseable {
  static LeaveAtOnce of(Cluster... nodes) {
    return new LeaveAtOnce(List.of(nodes));
  }

  @Override
  public void close() {
    endAll(nodes);
  }

  /// All at once: each voter waits for a thread of Ratis that looks up once a second.
  static void endAll(List<Cluster> nodes) {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<Void>> ends =
          nodes.stream().map(node -> CompletableFuture.runAsync(() -> end(node), threads)).toList();
      ends.forEach(CompletableFuture::join);
    }
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
