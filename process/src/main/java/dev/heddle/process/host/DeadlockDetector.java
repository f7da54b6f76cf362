// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.ProcessDeadlock;
import dev.heddle.process.ProcessDeadlock.Kind;
import dev.heddle.process.ProcessDeadlock.Wait;
import dev.heddle.process.fiber.Awaited;
import dev.heddle.process.fiber.FiberView;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.scheduler.WorkScheduler.BlockedStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Looks for processes that wait for each other.
public final class DeadlockDetector {
  /*
   * A process that waits for one other, and takes nothing else meanwhile, has one edge in the graph
   * of waits: its body is in `ask`, in `awaitExit`, or in a send to a full mailbox with the policy
   * SUSPEND; or it waits with `awaitCommands` (as `call` does) for an `ask` only. So the graph has
   * cycles and tails, and no branches.
   *
   * A look sees the edges one after the other, while processes go on. So what it has found counts
   * only when the next look finds the same waits, by their tokens: a token is an object of one
   * wait, which exists from its begin to its end. Then all of these waits stood at one time,
   * between the two looks, and none of the processes can have done anything since. A deadlock that
   * was seen for as long as was asked for is reported, once.
   *
   * The same holds for workers that all stand in steps: the number of a worker's pick tells that
   * it is in the same run.
   *
   * Not seen: waits for futures, locks and queues of the JDK, since no one knows who ends them;
   * and an answer that another thread will give, or a process to which the request was passed on
   * by hand. These are a report too many: the process that was asked waits for the asker, and
   * another one answers. `handOn` says so, and is no edge.
   *
   * Cost. None for a process that waits for no other; a read of a flag for one that does. A look
   * goes through all processes, but only while some wait so, and takes a hundredth of the time at
   * most.
   *
   * Threads. check(): one, that of reports. reported(): any.
   *
   * I1. A deadlock that lasts is reported once. [ProcessDeadlockTest]
   * I2. What two looks have found was a deadlock at some moment between them, but for an answer
   *     that comes from elsewhere. [ProcessDeadlockTest]
   *
   * Rejected. To count waits for each process: sends and answers would pay. A cycle of one look: a
   * chain of short waits looks like one.
   *
   * Sources. Decision 0044; K. M. Chandy, J. Misra, L. M. Haas, 1983 (the AND model with one
   * request each).
   */
  private static final int PAUSE_FACTOR = 100; // times as long as a look has taken
  private static final Object WORKERS = new Object(); // the key of what is no cycle

  private final ProcessHost host;
  private final long afterNanos;
  private final Consumer<ProcessDeadlock> report;

  // the thread of reports
  private Map<Object, Candidate> candidates = Map.of(); // by one of its tokens
  private long nextCheck = System.nanoTime();

  // the thread of reports; any thread reads it
  private volatile List<ProcessDeadlock> reported = List.of();

  /// What was found at a look, and since when at each.
  private static final class Candidate {
    final List<Object> tokens;
    final long since;
    @Nullable ProcessDeadlock told;

    Candidate(List<Object> tokens, long since) {
      this.tokens = tokens;
      this.since = since;
    }
  }

  /// A look at the processes of a host.
  ///
  /// @param after how long a deadlock must have lasted
  /// @param report is told of it, once
  public DeadlockDetector(ProcessHost host, Duration after, Consumer<ProcessDeadlock> report) {
    this.host = host;
    this.afterNanos = after.toNanos();
    this.report = report;
  }

  /// Those that were reported and last.
  public List<ProcessDeadlock> reported() {
    return reported;
  }

  /// Looks for what lasts since the look before.
  public void check() {
    long now = System.nanoTime();
    if (now - nextCheck < 0) {
      return;
    }
    Map<Object, Candidate> found = new HashMap<>();
    for (List<ProcessWait> cycle : cycles()) {
      keep(found, cycle.getFirst().token(), cycle.stream().map(ProcessWait::token).toList(), now);
      reportIfDue(found.get(cycle.getFirst().token()), now, Kind.CYCLE, () -> waits(cycle));
    }
    List<BlockedStep> steps = host.scheduler().blockedSteps();
    if (!steps.isEmpty()) {
      keep(found, WORKERS, List.copyOf(steps), now);
      reportIfDue(found.get(WORKERS), now, Kind.WORKERS, () -> blockedStepWaits(steps));
    }
    candidates = found;
    reported = found.values().stream().map(one -> one.told).filter(told -> told != null).toList();
    nextCheck = now + PAUSE_FACTOR * (System.nanoTime() - now);
  }

  private void keep(Map<Object, Candidate> found, Object key, List<Object> tokens, long now) {
    Candidate before = candidates.get(key);
    found.put(
        key, before != null && before.tokens.equals(tokens) ? before : new Candidate(tokens, now));
  }

  private interface Waits {
    List<Wait> get();
  }

  private void reportIfDue(@Nullable Candidate one, long now, Kind kind, Waits waits) {
    if (one == null || one.told != null || one.since == now || now - one.since < afterNanos) {
      return; // told, or seen for the first time, or not for long enough
    }
    ProcessDeadlock deadlock =
        new ProcessDeadlock(kind, Duration.ofNanos(now - one.since), waits.get());
    one.told = deadlock;
    report.accept(deadlock);
  }

  // ---- the graph ----

  /// Each cycle once, from the process with the lowest number on.
  private List<List<ProcessWait>> cycles() {
    if (!host.scheduler().clearMayWait()) {
      return List.of();
    }
    Map<ProcessInstance, ProcessWait> waits = new HashMap<>();
    boolean some = false;
    for (ProcessInstance process : host.directory().all()) {
      some |= ProcessWait.mayCome(process); // first: it may come to wait between the two
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

  /// Follows the waits until they end, or meet what was seen before. On this path that is a cycle.
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

  // ---- words ----

  private static List<Wait> waits(List<ProcessWait> cycle) {
    return cycle.stream().map(DeadlockDetector::wait).toList();
  }

  private static Wait wait(ProcessWait wait) {
    ProcessInstance process = wait.waits();
    FiberView body = process.body();
    String what =
        wait.token() instanceof Awaited awaited ? awaited.words() : "the answer of " + wait.of();
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
                List.of(step.worker().stack())));
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
