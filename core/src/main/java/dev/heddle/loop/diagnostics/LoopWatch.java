// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.observe.DeadlockReport;
import dev.heddle.observe.Dump;
import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.observe.flight.FlightEvents;
import dev.heddle.observe.log.AsyncLog;
import dev.heddle.observe.management.ManagedLoops;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The diagnostics of one loop: what looks at it while it runs, and where it is shown.
public final class LoopWatch {
  private final CoroutineTree tree;
  private final AsyncLog log;
  private final Reports reports;
  private final HoldWatch holds;
  private final StallWatch stalls;
  private final Overruns overruns;
  private final ManagedLoops.Entry management;
  private final Attachable shown;

  // written by the carrier as the loop begins, read by any thread
  private volatile @Nullable Watchdog watchdog;

  // the watchdog's
  private boolean introduced;

  // the watchdog writes, the loop reads; safe: an event more or less at either end of a recording
  private boolean recorded = FlightEvents.areRecorded();

  /// Of a loop that is about to run.
  public LoopWatch(CoroutineTree tree, AsyncLog log) {
    this.tree = tree;
    this.log = log;
    this.reports = new Reports(tree.options(), log);
    this.holds = new HoldWatch(tree, reports);
    this.stalls = new StallWatch(tree, reports, this::later, LoopWatch::allStalls);
    this.overruns = new Overruns(tree, log);
    LoopBean bean = new LoopBean(tree, holds);
    this.management = new ManagedLoops.Entry(bean);
    this.shown = new AttachableLoop(bean);
  }

  private static List<StallWatch> allStalls() {
    return Watchdog.loops().stream().map(LoopWatch::stalls).toList();
  }

  /// What looks for coroutines that hold the loop.
  public HoldWatch holds() {
    return holds;
  }

  /// What looks for waits in the JDK that end nowhere.
  public StallWatch stalls() {
    return stalls;
  }

  /// What names coroutines that go on after they were cancelled.
  public Overruns overruns() {
    return overruns;
  }

  boolean isAsleep() {
    return tree.scheduler().isAsleep();
  }

  /// Whether the loop has ended.
  public boolean hasEnded() {
    return tree.scheduler().hasEnded();
  }

  /// Begins, as the loop does.
  public void begin() {
    Attachables.add(shown);
    watchdog = Watchdog.watch(this);
  }

  /// Ends, as the loop has.
  public void end() {
    Watchdog.unwatch(this);
    Attachables.remove(shown);
    if (ManagedLoops.leaves(management)) {
      // listeners of the server are anybody's code
      log.call("the management of the loop", () -> ManagedLoops.takeOut(management));
    }
  }

  /// Shows the loop to management tools, once somebody has started the server for them.
  void introduce() {
    if (!introduced && ManagedLoops.mayJoin(management)) {
      introduced = true;
      log.call("the management of the loop", () -> ManagedLoops.join(management));
    }
  }

  /// The loop has slept and is awake.
  public void stir() {
    Watchdog dog = watchdog;
    if (dog != null) {
      dog.stir();
    }
  }

  // runs `errand`, which may take locks of the JDK's, on the watchdog's thread
  private void later(Runnable errand) {
    Watchdog dog = watchdog;
    if (dog != null) {
      dog.later(errand);
    }
  }

  // ---- coroutines, for flight recordings ----

  void record(boolean on) {
    recorded = on;
  }

  /// A coroutine is about to be admitted.
  public void spawned(Coroutine<?> coroutine) {
    if (recorded) {
      FlightEvents.started(tree.options().name(), coroutine.id(), coroutine.name());
    }
  }

  /// A coroutine has ended.
  public void ended(Coroutine<?> coroutine) {
    if (recorded) {
      FlightEvents.ended(
          tree.options().name(), coroutine.id(), coroutine.name(), coroutine.failure());
    }
  }

  // ---- the end of the loop ----

  /// Reports a deadlock. **Thread** any; never waits.
  public void tell(DeadlockReport report) {
    reports.tell(report);
  }

  /// The first of those who are left, for a report; null when it cannot be taken: nothing else must
  /// depend on it.
  public @Nullable Dump dumpOrNull(List<CoroutineNode<?>> left) {
    try {
      return DumpTaker.takeFirst(tree, left);
    } catch (Throwable e) {
      log.error("no dump of the loop's coroutines could be taken", e);
      return null;
    }
  }
}
