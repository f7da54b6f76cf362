// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.ProcessDeadlock;
import dev.heddle.process.ProcessDeadlock.Kind;
import dev.heddle.process.ProcessDeadlock.Wait;
import dev.heddle.process.body.Awaited;
import dev.heddle.process.body.BodyView;
import dev.heddle.process.live.LiveProcess;
import dev.heddle.process.scheduler.WorkScheduler.StandingStep;
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
   * A process that waits for one other, and takes nothing else meanwhile, has one edge in the
   * graph of waits: its body is in `ask`, in `awaitExit`, or in a send to a full mailbox with the
   * policy SUSPEND; or it waits with `yieldOnly` (as `call` does) for an `ask` only. So the graph
   * has cycles and tails, and no branches.
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
   * Threads. look(): one, that of reports. standing(): any.
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
  private static final int REST = 100; // times as long as a look has taken
  private static final Object WORKERS = new Object(); // the key of what is no cycle

  private final ProcessHost host;
  private final long afterNanos;
  private final Consumer<ProcessDeadlock> report;

  // the thread of reports
  private Map<Object, Candidate> candidates = Map.of(); // by one of its tokens
  private long nextLook = System.nanoTime();

  // the thread of reports; any thread reads it
  private volatile List<ProcessDeadlock> standing = List.of();

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
  public List<ProcessDeadlock> standing() {
    return standing;
  }

  /// Looks for what lasts since the look before.
  public void look() {
    long now = System.nanoTime();
    if (now - nextLook < 0) {
      return;
    }
    Map<Object, Candidate> found = new HashMap<>();
    for (List<WaitForProcess> cycle : cycles()) {
      keep(
          found, cycle.getFirst().token(), cycle.stream().map(WaitForProcess::token).toList(), now);
      tell(found.get(cycle.getFirst().token()), now, Kind.CYCLE, () -> waits(cycle));
    }
    List<StandingStep> steps = host.scheduler().standingSteps();
    if (!steps.isEmpty()) {
      keep(found, WORKERS, List.copyOf(steps), now);
      tell(found.get(WORKERS), now, Kind.WORKERS, () -> stepWaits(steps));
    }
    candidates = found;
    standing = found.values().stream().map(one -> one.told).filter(told -> told != null).toList();
    nextLook = now + REST * (System.nanoTime() - now);
  }

  private void keep(Map<Object, Candidate> found, Object key, List<Object> tokens, long now) {
    Candidate before = candidates.get(key);
    found.put(
        key, before != null && before.tokens.equals(tokens) ? before : new Candidate(tokens, now));
  }

  private interface Waits {
    List<Wait> get();
  }

  private void tell(@Nullable Candidate one, long now, Kind kind, Waits waits) {
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
  private List<List<WaitForProcess>> cycles() {
    if (!host.scheduler().takeSomeWait()) {
      return List.of();
    }
    Map<LiveProcess, WaitForProcess> waits = new HashMap<>();
    boolean some = false;
    for (LiveProcess process : host.directory().all()) {
      some |= WaitForProcess.mayCome(process); // first: it may come to wait between the two
      WaitForProcess wait = WaitForProcess.of(process);
      if (wait != null) {
        waits.put(process, wait);
      }
    }
    if (some || !waits.isEmpty()) {
      host.scheduler().aTaskWaits();
    }
    List<List<WaitForProcess>> cycles = new ArrayList<>();
    Set<LiveProcess> seen = new HashSet<>();
    for (LiveProcess start : waits.keySet()) {
      List<WaitForProcess> cycle = cycleFrom(start, waits, seen);
      if (!cycle.isEmpty()) {
        cycles.add(cycle);
      }
    }
    return cycles;
  }

  /// Follows the waits until they end, or meet what was seen before. On this path that is a cycle.
  private List<WaitForProcess> cycleFrom(
      LiveProcess start, Map<LiveProcess, WaitForProcess> waits, Set<LiveProcess> seen) {
    Map<LiveProcess, Integer> path = new HashMap<>();
    List<WaitForProcess> along = new ArrayList<>();
    LiveProcess at = start;
    while (at != null && seen.add(at)) {
      WaitForProcess wait = waits.get(at);
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

  private static List<WaitForProcess> rotated(List<WaitForProcess> cycle) {
    int lowest = 0;
    for (int i = 1; i < cycle.size(); i++) {
      if (cycle.get(i).waits().id() < cycle.get(lowest).waits().id()) {
        lowest = i;
      }
    }
    List<WaitForProcess> all = new ArrayList<>(cycle.subList(lowest, cycle.size()));
    all.addAll(cycle.subList(0, lowest));
    return all;
  }

  // ---- words ----

  private static List<Wait> waits(List<WaitForProcess> cycle) {
    return cycle.stream().map(DeadlockDetector::wait).toList();
  }

  private static Wait wait(WaitForProcess wait) {
    LiveProcess process = wait.waits();
    BodyView body = process.body();
    String what =
        wait.token() instanceof Awaited awaited ? awaited.words() : "the answer of " + wait.of();
    return new Wait(
        process.self(),
        process.kind(),
        body == null || body.limit() == null ? what : what + " within " + body.limit(),
        wait.of(),
        body == null ? List.of() : List.of(body.stack()));
  }

  private static List<Wait> stepWaits(List<StandingStep> steps) {
    List<Wait> all = new ArrayList<>();
    for (StandingStep step : steps) {
      if (step.task() instanceof LiveProcess process) {
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

  private static String held(StandingStep step, List<StandingStep> all) {
    Thread holder = step.holder();
    if (holder == null) {
      return "";
    }
    for (StandingStep other : all) {
      if (other.worker().thread() == holder && other.task() instanceof LiveProcess process) {
        return ", held by " + process.self();
      }
    }
    return ", held by thread '" + holder.getName() + "'";
  }
}
