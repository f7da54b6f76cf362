// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.util.Map;

/// Watches a process that has nothing to do.
public final class Quiet {
  private Quiet() {}

  /// Waits so many milliseconds on the calling platform thread and reports what the process used
  /// meanwhile: `cpu-percent` of one core and `switches-per-second`, the caller's own two included.
  public static Sample watch(long millis) throws InterruptedException {
    var meter = new Meter();
    Map<String, Long> before = CpuClock.contextSwitches();
    meter.start();
    Thread.sleep(millis);
    Sample sample = meter.stop(1);
    double seconds = sample.wallNanos() / 1e9;
    return sample
        .with("cpu-percent", 100.0 * sample.cpuNanos() / sample.wallNanos())
        .with("switches-per-second", CpuClock.added(before, CpuClock.contextSwitches()) / seconds);
  }
}
