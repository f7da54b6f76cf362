// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.event.InlineCallback;
import dev.heddle.scheduler.Scheduler;
import java.util.HashSet;
import java.util.Set;

/// The threads beside one loop; they end with it.
public final class LoopThreads {
  private final Scheduler scheduler;
  private final OffloadPool offload;
  private final OffloadPool lookups;

  // loop only
  private final Set<WorkerThreads> groups = new HashSet<>();

  /// None yet.
  public LoopThreads(Scheduler scheduler, String loopName) {
    this.scheduler = scheduler;
    this.offload =
        new OffloadPool(scheduler, open(loopName + "-offload", OffloadPool.THREADS, () -> {}));
    this.lookups =
        new OffloadPool(scheduler, open(loopName + "-lookup", OffloadPool.LOOKUPS, () -> {}));
  }

  /// For calls that would hold the loop.
  public OffloadPool offload() {
    return offload;
  }

  /// For look-ups of host names.
  public OffloadPool lookups() {
    return lookups;
  }

  /// A group of threads, which ends with the loop at the latest.
  ///
  /// @param name of the threads, before their number
  /// @param most how many there are at any time
  /// @param whenEnded called on the loop, in a tick, when a call has ended; lock-free
  public WorkerThreads open(String name, int most, Runnable whenEnded) {
    WorkerThreads group = new WorkerThreads(scheduler, name, most, whenEnded);
    groups.add(group);
    InlineCallback forget = (event, result, error) -> groups.remove(group);
    group.gone().subscribe(forget);
    return group;
  }

  /// The loop has ended: drops what is queued, interrupts what runs, lets all threads go.
  public void close() {
    groups.forEach(WorkerThreads::close);
  }
}
