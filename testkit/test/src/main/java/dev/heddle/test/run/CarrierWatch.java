// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.VirtualThreads;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Waits for a carrier, and detects that it does not end: it has used much processor time, or has
/// waited long, without a step of its loop.
///
/// **Thread** the caller of a run.
final class CarrierWatch {
  private static final Duration SAMPLE = Duration.ofMillis(250);
  private static final int REAL_FACTOR = 6; // a blocked carrier uses no processor time

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Thread carrier;
  private final SimulatedLoop<?> run;
  private final long patienceNanos;

  private long progress = -1;
  private @Nullable Thread watched; // the carrier that runs, which has made that progress
  private long cpuThen;
  private long samples; // since the last step

  CarrierWatch(Thread carrier, SimulatedLoop<?> run, Duration patience) {
    this.carrier = carrier;
    this.run = run;
    this.patienceNanos = patience.toNanos();
  }

  /// Returns when the carrier has ended, or does not.
  ///
  /// @return why it does not; null: it has ended
  @Nullable UnendingRunError await() {
    boolean interrupted = false;
    try {
      while (!hasEnded()) {
        if (isStuck()) {
          return new UnendingRunError(describe());
        }
        if (Thread.interrupted()) {
          interrupted = true;
          stop();
        }
      }
      return null;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // waits for a sample's time; an interrupt ends that, and stays for await()
  private boolean hasEnded() {
    try {
      return carrier.join(SAMPLE);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void stop() {
    LoopRuntime loop = run.loop();
    if (loop != null) {
      loop.shutdown().requestByInterrupt();
    }
  }

  // samples are counted, not a clock read: a JVM that was stopped has lost one
  private boolean isStuck() {
    NodeLoop node = run.runningNode();
    Thread runs = node == null ? carrier : node.carrier();
    LoopRuntime loop = node == null ? run.loop() : node.loop();
    long now = loop == null ? 0 : loop.scheduler().progress();
    if (now != progress || runs != watched || run.isWaiting()) {
      progress = now;
      watched = runs;
      cpuThen = THREADS.getThreadCpuTime(runs.threadId());
      samples = 0;
      return false;
    }
    samples++;
    long used = THREADS.getThreadCpuTime(runs.threadId()) - cpuThen;
    return used > patienceNanos || samples * SAMPLE.toNanos() > patienceNanos * REAL_FACTOR;
  }

  private String describe() {
    NodeLoop node = run.runningNode();
    Thread runs = node == null ? carrier : node.carrier();
    Thread holder = holder(node == null ? run.loop() : node.loop(), runs);
    String where = node == null ? "" : " of the node " + node.name();
    return "the run does not end: %s%s has made no step within the limit of patience, at%n%s"
        .formatted(
            holder == runs ? "the loop" : "a coroutine",
            where,
            Arrays.stream(holder.getStackTrace())
                .map(frame -> "  at " + frame)
                .collect(Collectors.joining("\n")));
  }

  // the search has no lock, as that of the loop's own watchdog
  private static Thread holder(@Nullable LoopRuntime loop, Thread runs) {
    List<CoroutineNode<?>> coroutines = loop == null ? List.of() : loop.tree().coroutines();
    try {
      for (CoroutineNode<?> c : coroutines) {
        ExecutionContext context = c.context();
        if (context != null && VirtualThreads.isMounted(context.thread())) {
          return context.thread();
        }
      }
    } catch (RuntimeException _) {
      // safe: the tree has changed during the search; the carrier's own frames are shown
    }
    return runs;
  }
}
