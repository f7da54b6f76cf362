// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;

/// A stopwatch for wall time, CPU time and allocated bytes of one round.
///
/// **Thread** any, one at a time: who stops it must have seen who started it.
public final class Meter {
  /// The count every sample carries: bytes allocated on the heap per operation.
  public static final String ALLOCATED = "allocated-bytes";

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private long wall;
  private long cpu;
  private Map<String, Long> compilers = Map.of();
  private long allocated;

  /// Starts; the dear clocks are read first, the cheap ones last, so that reading them is not
  /// measured.
  public void start() {
    compilers = CpuClock.compilerNanos();
    allocated = THREADS.getTotalThreadAllocatedBytes();
    cpu = CpuClock.nanos();
    wall = System.nanoTime();
  }

  /// Stops, reading the clocks in the opposite order.
  public Sample stop(long operations) {
    long wallNanos = System.nanoTime() - wall;
    long cpuNanos = CpuClock.nanos() - cpu;
    double bytes = THREADS.getTotalThreadAllocatedBytes() - allocated;
    long compiled = CpuClock.added(compilers, CpuClock.compilerNanos());
    return new Sample(
        operations,
        wallNanos,
        Math.max(0, cpuNanos - compiled),
        Map.of(ALLOCATED, Math.max(0, bytes) / operations));
  }
}
