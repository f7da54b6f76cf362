// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.Holder;
import dev.heddle.cluster.roster.LeaseExpiry;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.Roster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A log in the memory of one JVM, for tests of running nodes. Any node may have it judge leases.
final class MemoryLog {
  /// Of a node that dies in the test: others wait for its end. A stall of the machine may cost any
  /// node such a lease.
  static final Duration SHORT = Duration.ofSeconds(4);

  final LeaseTimes times;
  private final Roster committed = new Roster();
  private final List<Delta> entries = new ArrayList<>();
  private final LeaseExpiry expiry;

  MemoryLog(Duration lease) {
    times = LeaseTimes.holding(lease);
    expiry = new LeaseExpiry(times);
  }

  synchronized Outcome commit(Command command) {
    long previous = committed.applied();
    Outcome outcome = committed.apply(previous + 1, command);
    entries.add(new Delta(previous, previous + 1, command));
    return outcome;
  }

  synchronized List<Delta> from(int index) {
    notifyAll();
    return List.copyOf(entries.subList(index, entries.size()));
  }

  /// Waits until a node reads the log, as each does at its ticks.
  @SuppressWarnings("WaitNotInLoop") // the caller looks again
  synchronized void awaitReader() throws InterruptedException {
    wait();
  }

  /// Whether a node owns a shard.
  synchronized boolean owns(String node) {
    for (int i = 0; i < committed.shards().count("counter"); i++) {
      Holder owner = committed.shards().state("counter", i).owner();
      if (owner != null && owner.node().equals(node)) {
        return true;
      }
    }
    return false;
  }

  synchronized void judge() {
    expiry.poll(committed, System.nanoTime()).forEach(this::commit);
  }
}
