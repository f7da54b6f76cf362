// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.ProcessDeadlock;
import dev.heddle.process.ProcessDeadlock.Kind;
import dev.heddle.process.ProcessDeadlock.Wait;
import dev.heddle.process.fiber.Awaited;
import dev.heddle.process.fiber.FiberView;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.scheduler.WorkerPool;
import dev.heddle.process.scheduler.WorkerPool.BlockedStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Detects processes that wait for each other.
public final class DeadlockDetector {
  /*
   * A process that waits for one other process, and handles nothing else meanwhile, has one edge in
   * the wait-for graph. Its body is in `ask`, in `awaitExit`, or in a send to a full mailbox with
   * the policy SUSPEND; or its step waits by `awaitCommands` (as `execute` does) for an `ask` only.
   * So the graph has cycles and tails, and no branches.
   *
   * A check reads the edges one after the other while processes run. So a cycle counts only when
   * the next check finds the same waits, by their tokens: a token is an object of one wait and
   * exists from its begin to its end. Then all these waits existed at the same time, between the
   * two checks, and none of the processes can have done anything since. A deadlock that lasts for
   * the configured time is reported, once.
   *
   * The same holds for workers that are all blocked in steps: the number of a worker's pick tells
   * that it is in the same run.
   *
   * Not detected: waits for futures, locks and queues of the JDK, since it is unknown which thread
   * ends them. Reported although it is none: a process that was asked waits for the asker, but
   * another thread or process will reply, to which the request was forwarded by hand. `forward`
   * marks that, and is no edge.
   *
   * Cost. None for a process that waits for no other; a read of a flag for one that does. A check
   * goes through all processes, but only while some wait so, and takes at most a hundredth of the
   * time.
   *
   * Threads. check(): one, that of reports. reported(): any.
   *
   * I1. A deadlock that lasts is reported once. [ProcessDeadlockTest]
   * I2. What two checks have found was a deadlock at some moment between them, unless a reply comes
   *     from elsewhere. [ProcessDeadlockTest]
   *
   * Rejected. Counting waits for each process: sends and replies would pay. A cycle of one check: a
   * chain of short waits looks like one.
   *
   * Sources. Decision 0044; K. M. Chandy, J. Misra, L. M. Haas, 1983 (the AND model with one
   * request each).
   */
  private static final int PAUSE_FACTOR = 100; // times the duration of a check
  private static final Object WORKERS = new Object(); // the key of the deadlock that is no cycle

  private final ProcessHost host;
  private final WorkerPool workers;
  private final LongSupplier clock;
  private final long afterNanos;
  private final Consumer<ProcessDeadlock> report;

  // the thread of reports
  private Map<Object, Candidate> candidates = Map.of(); // by one of their tokens
  private long nextCheck;

  // the thread of reports; any thread reads it
  private volatile List<ProcessDeadlock> reported = List.of();

  /// A possible deadlock, found by checks since a time.
  private static final class Candidate {
    final List<Object> tokens;
    final long since;
    @Nullable ProcessDeadlock report;

    Candidate(List<Object> tokens, long since) {
      this.tokens = tokens;
      this.since = since;
    }
  }

  /// @param clock counts nanoseconds from an arbitrary origin
  /// @param after how long a deadlock must have lasted
  /// @param report is called with it, once
  public DeadlockDetector(
      ProcessHost host,
      WorkerPool workers,
      LongSupplier clock,
      Duration after,
      Consumer<ProcessDeadlock> report) {
    this.clock = clock;
    this.nextCheck = clock.getAsLong();
    this.workers = workers;
    this.host = host;
    this.afterNanos = after.toNanos();
    this.report = report;
  }

  /// The deadlocks that were reported and still last.
  public List<ProcessDeadlock> reported() {
    return reported;
  }

  /// Checks for deadlocks that have lasted since the check before.
  public void check() {
    long now = clock.getAsLong();
    if (now - nextCheck < 0) {
      return;
    }
    Map<Object, Candidate> found = new LinkedHashMap<>();
    for (List<ProcessWait> cycle : cycles()) {
      keep(found, cycle.getFirst().token(), cycle.stream().map(ProcessWait::token).toList(), now);
      reportIfDue(
          found.get(cycle.getFirst().token()),
          now,
          Kind.CYCLE,
          () -> cycle.stream().map(DeadlockDetector::wait).toList());
    }
    List<BlockedStep> steps = workers.blockedSteps();
    if (!steps.isEmpty()) {
      keep(found, WORKERS, List.copyOf(steps), now);
      reportIfDue(found.get(WORKERS), now, Kind.WORKERS, () -> blockedStepWaits(steps));
    }
    candidates = found;
    reported = found.values().stream().map(one -> one.report).filter(Objects::nonNull).toList();
    nextCheck = now + PAUSE_FACTOR * (clock.getAsLong() - now);
  }

  private void keep(Map<Object, Candidate> found, Object key, List<Object> tokens, long now) {
    Candidate before = candidates.get(key);
    found.put(
        key, before != null && before.tokens.equals(tokens) ? before : new Candidate(tokens, now));
  }

  private void reportIfDue(
      @Nullable Candidate one, long now, Kind kind, Supplier<List<Wait>> waits) {
    if (one == null || one.report != null || one.since == now || now - one.since < afterNanos) {
      return; // reported already, or not for long enough
    }
    one.report = new ProcessDeadlock(kind, Duration.ofNanos(now - one.since), waits.get());
    report.accept(one.report);
  }

  // ---- the graph ----

  /// Each cycle once, beginning with the process with the lowest number.
  private List<List<ProcessWait>> cycles() {
    if (!host.scheduler().clearMayWait()) {
      return List.of();
    }
    Map<ProcessInstance, ProcessWait> waits = new LinkedHashMap<>();
    boolean some = false;
    for (ProcessInstance process : host.directory().all()) {
      some |= ProcessWait.mayCome(process); // first: the process may begin to wait between the two
      ProcessWait wait = ProcessWait.of(process);
      if (wait != null) {
        waits.put(process, wait);
      }
    }
    if (some || !waits.isEmpty()) {
      host.scheduler().taskMayWait();
    }
    List<List<ProcessWait>> cycles = new ArrayList<>();
    Set<ProcessInstance> seen = new HashSet<>();
    for (ProcessInstance start : waits.keySet()) {
      List<ProcessWait> cycle = cycleFrom(start, waits, seen);
      if (!cycle.isEmpty()) {
        cycles.add(cycle);
      }
    }
    return cycles;
  }

  /// Follows the waits until they end or reach a process seen before; one of this path closes a
  /// cycle.
  private List<ProcessWait> cycleFrom(
      ProcessInstance start, Map<ProcessInstance, ProcessWait> waits, Set<ProcessInstance> seen) {
    Map<ProcessInstance, Integer> path = new HashMap<>();
    List<ProcessWait> along = new ArrayList<>();
    ProcessInstance at = start;
    while (at != null && seen.add(at)) {
      ProcessWait wait = waits.get(at);
      if (wait == null) {
        return List.of();
      }
      path.put(at, along.size());
      along.add(wait);
      at = host.directory().find(wait.of());
    }
    Integer first = at == null ? null : path.get(at);
    return first == null ? List.of() : rotated(along.subList(first, along.size()));
  }

  private static List<ProcessWait> rotated(List<ProcessWait> cycle) {
    int lowest = 0;
    for (int i = 1; i < cycle.size(); i++) {
      if (cycle.get(i).waits().id() < cycle.get(lowest).waits().id()) {
        lowest = i;
      }
    }
    List<ProcessWait> all = new ArrayList<>(cycle.subList(lowest, cycle.size()));
    all.addAll(cycle.subList(0, lowest));
    return all;
  }

  // ---- descriptions ----

  private static Wait wait(ProcessWait wait) {
    ProcessInstance process = wait.waits();
    FiberView body = process.body();
    String what =
        wait.token() instanceof Awaited awaited
            ? awaited.description()
            : "a reply from " + wait.of();
    return new Wait(
        process.self(),
        process.kind(),
        body == null || body.limit() == null ? what : what + " within " + body.limit(),
        wait.of(),
        body == null ? List.of() : List.of(body.stack()));
  }

  private static List<Wait> blockedStepWaits(List<BlockedStep> steps) {
    List<Wait> all = new ArrayList<>();
    for (BlockedStep step : steps) {
      if (step.task() instanceof ProcessInstance process) {
        all.add(
            new Wait(
                process.self(),
                process.kind(),
                step.waitsFor()
                    + held(step, steps)
                    + ", in a step on "
                    + step.worker().thread().getName(),
                null,
                List.of(step.stack())));
      }
    }
    return all;
  }

  private static String held(BlockedStep step, List<BlockedStep> all) {
    Thread holder = step.holder();
    if (holder == null) {
      return "";
    }
    for (BlockedStep other : all) {
      if (other.worker().thread() == holder && other.task() instanceof ProcessInstance process) {
        return ", held by " + process.self();
      }
    }
    return ", held by thread '" + holder.getName() + "'";
  }
}
