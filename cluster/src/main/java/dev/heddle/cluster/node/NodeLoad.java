// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.process.ProcessCounters;
import dev.heddle.process.WorkerCounters;

/// How much a node has to do. The smaller one has less: first fewer ready processes for each
/// worker, then fewer processes for each worker.
///
/// @param workers at least 1
/// @param ready processes that wait for a worker
/// @param processes all that are alive
public record NodeLoad(int workers, int ready, int processes) implements Comparable<NodeLoad> {
  static NodeLoad of(ProcessCounters counters) {
    return new NodeLoad(
        Math.max(1, counters.workers().size()),
        Math.max(0, counters.workers().stream().mapToInt(WorkerCounters::queued).sum()),
        counters.processes());
  }

  @Override
  public int compareTo(NodeLoad other) {
    // of products, so that no division rounds: a/b < c/d is ad < cb
    int byReady = Long.compare((long) ready * other.workers, (long) other.ready * workers);
    return byReady != 0
        ? byReady
        : Long.compare((long) processes * other.workers, (long) other.processes * workers);
  }
}
