// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.VirtualThreads;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Waits for a carrier, and detects that it does not end: without a step of its loop it has used
/// much processor time, or is blocked.
///
/// **Thread** the caller of a run.
final class CarrierWatch {
  /*
   * A carrier without a step is in one of these states:
   *
   *   it runs, or waits for a processor     its processor time counts. A machine that gives it none
   *                                         delays the verdict, and does not cause it
   *   it is blocked: the JVM's state of     samples count in which it has not left the wait. It
   *   the thread is not RUNNABLE            waits for another thread, which is outside of the run:
   *                                         no clock tells when that answers
   *   it waits in a native method, which    neither counts: only a time-out of the test ends it
   *   the JVM calls RUNNABLE, too
   *
   * The JVM counts how often a thread was blocked or waited: a carrier that has left a wait since
   * the last sample has another count, and begins anew. Stacks are not compared: one that another
   * thread reads postpones a resume, which changes the course.
   */
  private static final Duration SAMPLE = Duration.ofMillis(250);
  private static final int BLOCKED_FACTOR = 6; // a blocked carrier uses no processor time

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Thread carrier;
  private final SimulatedLoop<?> run;
  private final long patienceNanos;

  private long progress = -1;
  private @Nullable Thread watched; // the carrier that runs, which has made that progress
  private long cpuThen;
  private long samples; // in which it was in one wait
  private long waits; // until the last sample

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
    samples = isStillBlocked(runs) ? samples + 1 : 0;
    long used = THREADS.getThreadCpuTime(runs.threadId()) - cpuThen;
    return used > patienceNanos || samples * SAMPLE.toNanos() > patienceNanos * BLOCKED_FACTOR;
  }

  private boolean isStillBlocked(Thread runs) {
    ThreadInfo info = THREADS.getThreadInfo(runs.threadId());
    if (info == null || info.getThreadState() == Thread.State.RUNNABLE) {
      return false;
    }
    long before = waits;
    waits = info.getBlockedCount() + info.getWaitedCount();
    return waits == before;
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
