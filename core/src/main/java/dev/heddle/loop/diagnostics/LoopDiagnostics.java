// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.CoroutineWatch;
import dev.heddle.loop.feed.TrampolineCall;
import dev.heddle.loop.trace.LoopFlight;
import dev.heddle.observe.DeadlockReport;
import dev.heddle.observe.Dump;
import dev.heddle.observe.LoopMXBean;
import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.observe.jfr.LoopJfrEvents;
import dev.heddle.observe.jmx.ManagedBean;
import dev.heddle.observe.log.AsyncLog;
import dev.heddle.scheduler.SwitchTrace;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The diagnostics of one loop: its detectors, and its registrations with management and attach.
public final class LoopDiagnostics {
  private final CoroutineTree tree;
  private final AsyncLog log;
  private final LoopReporter loopReporter;
  private final HoldDetector holds;
  private final StallDetector stalls;
  private final CancellationOverruns cancellationOverruns;
  private final ManagedBean<LoopMXBean> management;
  private final Attachable attachable;
  private final LoopMXBean bean;
  private final boolean isObserved;

  // written by the carrier as the loop begins, read by any thread
  private volatile @Nullable Watchdog watchdog; // null: before, or the loop is not observed

  // the watchdog's
  private boolean beanRegistered;
  private boolean switchesAreRecorded; // at first the carrier's

  // the watchdog writes, the loop reads; safe: a recording may miss an event at either end
  private boolean recorded;

  /// @param isObserved whether other threads may look at the loop: see `SchedulerParts`
  public LoopDiagnostics(CoroutineTree tree, AsyncLog log, boolean isObserved) {
    this.tree = tree;
    this.log = log;
    this.isObserved = isObserved;
    this.recorded = isObserved && LoopJfrEvents.areRecorded();
    this.loopReporter = new LoopReporter(tree.options(), log, isObserved);
    this.holds = new HoldDetector(tree, loopReporter);
    this.stalls =
        new StallDetector(tree, loopReporter, this::runOnWatchdog, LoopDiagnostics::allStalls);
    this.cancellationOverruns = new CancellationOverruns(tree, log);
    LoopBean bean = new LoopBean(tree, holds, loopReporter);
    this.management = new ManagedBean<>("Loop", bean.getName(), bean, LoopMXBean.class);
    this.attachable = bean;
    this.bean = bean;
  }

  private static List<StallDetector> allStalls() {
    return Watchdog.loops().stream().map(LoopDiagnostics::stalls).toList();
  }

  public HoldDetector holds() {
    return holds;
  }

  public StallDetector stalls() {
    return stalls;
  }

  public CancellationOverruns overruns() {
    return cancellationOverruns;
  }

  /// The loop for observers. **Thread** any.
  public LoopMXBean bean() {
    return bean;
  }

  /// Keeps a failure that no code of the program observes for those who look at the loop.
  /// **Thread** any; never waits.
  public void unhandled(String what, @Nullable Throwable failure) {
    loopReporter.failed(what, failure);
  }

  boolean isAsleep() {
    return tree.scheduler().isAsleep();
  }

  public boolean hasEnded() {
    return tree.scheduler().hasEnded();
  }

  public void begin() {
    if (!isObserved) {
      return;
    }
    switchesAreRecorded = LoopJfrEvents.switchesAreWanted();
    if (switchesAreRecorded) {
      LoopFlight.update(tree, true);
    }
    Attachables.add(attachable);
    watchdog = Watchdog.watch(this);
  }

  /// No coroutine runs on the loop any more. Called before observers are refused.
  public void stopped() {
    SwitchTrace trace = tree.scheduler().trace();
    if (trace != null) {
      trace.loopEnds();
    }
  }

  public void end() {
    Watchdog.unwatch(this);
    Attachables.remove(attachable);
    if (management.leave()) {
      // listeners of the MBean server are user code
      log.call("the management of the loop", management::unregister);
    }
  }

  void registerBean() {
    if (!beanRegistered && management.mayJoin()) {
      beanRegistered = true;
      log.call("the management of the loop", management::join);
    }
  }

  public void onWake() {
    Watchdog dog = watchdog;
    if (dog != null) {
      dog.onLoopWake();
    }
  }

  // runs `task`, which may take JDK locks, on the watchdog's thread; tests call it, too
  void runOnWatchdog(Runnable task) {
    Watchdog dog = watchdog;
    if (dog != null) {
      dog.execute(task);
    }
  }

  // ---- coroutines, for flight recordings ----

  void record(boolean on) {
    recorded = on;
  }

  /// Has switches recorded, or not any more, as recordings want it. **Thread** the watchdog.
  void recordSwitches(boolean on) {
    if (on != switchesAreRecorded) {
      switchesAreRecorded = on;
      var _ =
          TrampolineCall.post(
              tree,
              answer -> {
                LoopFlight.update(tree, on);
                answer.complete(on);
              });
    }
  }

  public void spawned(Coroutine<?> coroutine) {
    if (recorded) {
      LoopJfrEvents.started(tree.options().name(), coroutine.id(), coroutine.name());
    }
    CoroutineWatch observer = tree.observer();
    if (observer != null) {
      observer.spawned((CoroutineNode<?>) coroutine);
    }
  }

  public void ended(Coroutine<?> coroutine) {
    if (recorded) {
      LoopJfrEvents.ended(
          tree.options().name(), coroutine.id(), coroutine.name(), coroutine.failure());
    }
    CoroutineWatch observer = tree.observer();
    if (observer != null) {
      observer.ended((CoroutineNode<?>) coroutine);
    }
  }

  // ---- the end of the loop ----

  public void report(DeadlockReport report) {
    loopReporter.report(report);
  }

  /// A dump of the first remaining coroutines, for a report; null if it fails, since nothing else
  /// may depend on it.
  public @Nullable Dump dumpOrNull(List<CoroutineNode<?>> left) {
    try {
      return DumpTaker.takeFirst(tree, left);
    } catch (Throwable e) {
      log.error("no dump of the loop's coroutines could be taken", e);
      return null;
    }
  }
}
