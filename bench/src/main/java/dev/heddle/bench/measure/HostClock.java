// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// Tells how much processor time went to others while this process and its descendants worked.
///
/// Linux counts the time of all processors in `/proc/stat`; what is not ours is foreign. Interrupts
/// are left out, for whose they are nobody can tell. Elsewhere nothing is told, and every round
/// counts as quiet. **Thread** any, one at a time.
public final class HostClock {
  private static final Path STAT = Path.of("/proc/stat");
  private static final Path LOAD_AVERAGE = Path.of("/proc/loadavg");
  private static final long TICK_NANOS = 10_000_000; // USER_HZ is 100 on every Linux of the JDK
  private static final long ROUNDING = 2 * TICK_NANOS; // of what the kernel counts in ticks

  private Ticks before = Ticks.NONE;
  private long own;
  private long wall;

  /// Starts.
  public void start() {
    before = ticks();
    own = ownNanos();
    wall = System.nanoTime();
  }

  /// Stops, and tells what happened since the start.
  public HostLoad stop() {
    long wallNanos = Math.max(1, System.nanoTime() - wall);
    long ownNanos = ownNanos() - own;
    return load(before, ticks(), ownNanos, wallNanos, average());
  }

  static HostLoad load(Ticks before, Ticks after, long ownNanos, long wallNanos, double average) {
    long busy = (after.busy() - before.busy()) * TICK_NANOS;
    long steal = (after.steal() - before.steal()) * TICK_NANOS;
    long foreign = Math.max(0, busy - ownNanos - ROUNDING);
    return new HostLoad(
        (double) foreign / wallNanos, (double) Math.max(0, steal - ROUNDING) / wallNanos, average);
  }

  private static Ticks ticks() {
    try {
      return Files.isReadable(STAT)
          ? Ticks.of(Files.readString(STAT, StandardCharsets.US_ASCII))
          : Ticks.NONE;
    } catch (IOException _) {
      return Ticks.NONE; // safe: a system that does not tell is taken for quiet
    }
  }

  /// Of this process, its descendants, and those of them that have ended.
  private static long ownNanos() {
    var self = ProcessHandle.current();
    return Stream.concat(Stream.of(self), self.descendants())
        .mapToLong(process -> nanos(process.pid()))
        .sum();
  }

  private static long nanos(long pid) {
    try {
      return CpuClock.nanos(pid) + CpuClock.ofEndedChildren(pid);
    } catch (IllegalStateException _) {
      return 0; // safe: it ended between the listing and the look at it; its parent has its time
    }
  }

  private static double average() {
    try {
      return Double.parseDouble(Files.readString(LOAD_AVERAGE).split(" ", 2)[0]);
    } catch (IOException | NumberFormatException _) {
      return 0; // safe: only for people, and only Linux tells it
    }
  }

  /// What all processors together have spent, in the kernel's ticks.
  ///
  /// @param busy for programs and for the kernel on their behalf
  /// @param steal not at all, because a hypervisor let others run
  record Ticks(long busy, long steal) {
    static final Ticks NONE = new Ticks(0, 0);

    private static final int USER = 1;
    private static final int NICE = 2;
    private static final int SYSTEM = 3;
    private static final int STEAL = 8;

    /// Of the first line of `/proc/stat`.
    static Ticks of(String stat) {
      String[] fields = stat.lines().findFirst().orElseThrow().split(" +");
      return new Ticks(
          Long.parseLong(fields[USER])
              + Long.parseLong(fields[NICE])
              + Long.parseLong(fields[SYSTEM]),
          Long.parseLong(fields[STEAL]));
    }
  }
}
