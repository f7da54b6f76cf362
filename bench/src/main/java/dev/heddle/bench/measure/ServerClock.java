// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.util.Map;

/// The CPU time of another process, taken from outside, so that the same clock serves a JVM and a
/// program of any other language. **Thread** any, one at a time.
///
/// The kernel's part comes in steps of 10 ms, too coarse for a round. So a sample gets the share
/// that it had over all rounds so far.
public final class ServerClock {
  /// The count of the kernel's part of a sample's CPU time, in nanoseconds per operation.
  public static final String KERNEL = "kernel-nanos";

  private final long pid;
  private Map<String, Long> compilers = Map.of();
  private CpuClock.Times before = new CpuClock.Times(0, 0);
  private long system; // over all rounds
  private long user;
  private long cpu;
  private long wall;

  /// Of a running process.
  public ServerClock(long pid) {
    this.pid = pid;
  }

  /// Starts, the dear clocks first.
  public void start() {
    compilers = CpuClock.compilerNanos(Long.toString(pid));
    before = CpuClock.times(pid);
    cpu = CpuClock.nanos(pid);
    wall = System.nanoTime();
  }

  /// Stops, in the opposite order.
  public Sample stop(long operations) {
    long wallNanos = System.nanoTime() - wall;
    long cpuNanos = CpuClock.nanos(pid) - cpu;
    CpuClock.Times times = CpuClock.times(pid);
    long compiled = CpuClock.added(compilers, CpuClock.compilerNanos(Long.toString(pid)));
    system += times.system() - before.system();
    user += Math.max(0, times.user() - before.user() - compiled);
    long own = Math.max(0, cpuNanos - compiled);
    double share = (double) system / Math.max(1, system + user);
    return new Sample(operations, wallNanos, own, Map.of(KERNEL, share * own / operations));
  }
}
