// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.observe.DeadlockReport;
import dev.heddle.observe.Dump;
import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.observe.jfr.LoopJfrEvents;
import dev.heddle.observe.jmx.LoopMBeans;
import dev.heddle.observe.log.AsyncLog;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The diagnostics of one loop: what looks at it while it runs, and where it is shown.
public final class LoopDiagnostics {
  private final CoroutineTree tree;
  private final AsyncLog log;
  private final LoopReporter loopReporter;
  private final HoldDetector holds;
  private final StallDetector stalls;
  private final CancellationOverruns cancellationOverruns;
  private final LoopMBeans.Entry management;
  private final Attachable attachable;

  // written by the carrier as the loop begins, read by any thread
  private volatile @Nullable Watchdog watchdog;

  // the watchdog's
  private boolean beanRegistered;

  // the watchdog writes, the loop reads; safe: an event more or less at either end of a recording
  private boolean recorded = LoopJfrEvents.areRecorded();

  /// Of a loop that is about to run.
  public LoopDiagnostics(CoroutineTree tree, AsyncLog log) {
    this.tree = tree;
    this.log = log;
    this.loopReporter = new LoopReporter(tree.options(), log);
    this.holds = new HoldDetector(tree, loopReporter);
    this.stalls =
        new StallDetector(tree, loopReporter, this::runOnWatchdog, LoopDiagnostics::allStalls);
    this.cancellationOverruns = new CancellationOverruns(tree, log);
    LoopBean bean = new LoopBean(tree, holds);
    this.management = new LoopMBeans.Entry(bean);
    this.attachable = new AttachableLoop(bean);
  }

  private static List<StallDetector> allStalls() {
    return Watchdog.loops().stream().map(LoopDiagnostics::stalls).toList();
  }

  /// What looks for coroutines that hold the loop.
  public HoldDetector holds() {
    return holds;
  }

  /// What looks for waits in the JDK that end nowhere.
  public StallDetector stalls() {
    return stalls;
  }

  /// What names coroutines that go on after they were cancelled.
  public CancellationOverruns overruns() {
    return cancellationOverruns;
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
    Attachables.add(attachable);
    watchdog = Watchdog.watch(this);
  }

  /// Ends, as the loop has.
  public void end() {
    Watchdog.unwatch(this);
    Attachables.remove(attachable);
    if (LoopMBeans.leaves(management)) {
      // listeners of the server are anybody's code
      log.call("the management of the loop", () -> LoopMBeans.takeOut(management));
    }
  }

  /// Shows the loop to management tools, once somebody has started the server for them.
  void registerBean() {
    if (!beanRegistered && LoopMBeans.mayJoin(management)) {
      beanRegistered = true;
      log.call("the management of the loop", () -> LoopMBeans.join(management));
    }
  }

  /// The loop has slept and is awake.
  public void onWake() {
    Watchdog dog = watchdog;
    if (dog != null) {
      dog.onLoopWake();
    }
  }

  // runs `errand`, which may take locks of the JDK's, on the watchdog's thread
  private void runOnWatchdog(Runnable errand) {
    Watchdog dog = watchdog;
    if (dog != null) {
      dog.execute(errand);
    }
  }

  // ---- coroutines, for flight recordings ----

  void record(boolean on) {
    recorded = on;
  }

  /// A coroutine is about to be admitted.
  public void spawned(Coroutine<?> coroutine) {
    if (recorded) {
      LoopJfrEvents.started(tree.options().name(), coroutine.id(), coroutine.name());
    }
  }

  /// A coroutine has ended.
  public void ended(Coroutine<?> coroutine) {
    if (recorded) {
      LoopJfrEvents.ended(
          tree.options().name(), coroutine.id(), coroutine.name(), coroutine.failure());
    }
  }

  // ---- the end of the loop ----

  /// Reports a deadlock. **Thread** any; never waits.
  public void report(DeadlockReport report) {
    loopReporter.report(report);
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
