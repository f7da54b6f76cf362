// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import dev.heddle.bench.measure.LiveHeap;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.process.Pid;
import dev.heddle.process.WorkerCounters;
import java.util.ArrayList;
import java.util.List;

/// Processes that have nothing to do, and whose PIDs nobody has kept.
public final class Memory extends Resident {
  @Override
  public Sample round(long operations) throws Exception {
    int count = Math.toIntExact(operations);
    var meter = new Meter();
    long before = LiveHeap.bytes();
    meter.start();
    spawnIdle(count);
    Sample sample = meter.stop(count);
    double bytes = LiveHeap.bytes() - before;
    List<Pid> pids = new ArrayList<>();
    runtime.processes().forEach(process -> pids.add(process.pid()));
    terminate(pids);
    awaitNone();
    return sample.with("live-bytes", bytes / count);
  }

  private void spawnIdle(int count) throws Exception {
    Pid last = runtime.spawn((_, _) -> {});
    for (int i = 1; i < count; i++) {
      last = runtime.spawn((_, _) -> {});
    }
    var _ = runtime.whenStarted(last).get();
    awaitQuiet(() -> runtime.workers().stream().allMatch(WorkerCounters::asleep));
  }
}
