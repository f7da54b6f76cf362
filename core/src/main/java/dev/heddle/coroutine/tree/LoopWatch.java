// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.observe.DeadlockReport;
import dev.heddle.observe.HoldReport;
import dev.heddle.observe.LoopReport;
import dev.heddle.observe.StallReport;
import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.observe.flight.FlightEvents;
import dev.heddle.observe.management.ManagedLoops;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// All that looks at a loop while it runs, and tells what it sees.
final class LoopWatch {
  private final LoopRoot loop;
  private final HoldWatch holds;
  private final StallWatch stalls;
  private final ManagedLoops.Entry management;
  private final Attachable shown;
  private final long began = System.nanoTime();

  // written by the carrier as the loop begins, read by any thread
  private volatile @Nullable Watchdog watchdog;

  // the watchdog's
  private boolean introduced;

  // the watchdog writes, the loop reads; safe: an event more or less at either end of a recording
  private boolean recorded = FlightEvents.areRecorded();

  LoopWatch(LoopRoot loop) {
    this.loop = loop;
    this.holds = new HoldWatch(loop);
    this.stalls = new StallWatch(loop, this);
    LoopBean bean = new LoopBean(loop);
    this.management = new ManagedLoops.Entry(bean);
    this.shown = new AttachableLoop(bean);
  }

  LoopRoot loop() {
    return loop;
  }

  HoldWatch holds() {
    return holds;
  }

  StallWatch stalls() {
    return stalls;
  }

  /// How long it has watched, in nanoseconds.
  long age() {
    return System.nanoTime() - began;
  }

  void begin() {
    Attachables.add(shown);
    watchdog = Watchdog.watch(this);
  }

  void end() {
    Watchdog.unwatch(this);
    Attachables.remove(shown);
    if (ManagedLoops.leaves(management)) {
      // listeners of the server are anybody's code
      loop.log().call("the management of the loop", () -> ManagedLoops.takeOut(management));
    }
  }

  /// Shows the loop to management tools, once somebody has started the server for them.
  void introduce() {
    if (!introduced && ManagedLoops.mayJoin(management)) {
      introduced = true;
      loop.log().call("the management of the loop", () -> ManagedLoops.join(management));
    }
  }

  /// The loop has slept and is awake.
  void stir() {
    Watchdog dog = watchdog;
    if (dog != null) {
      dog.stir();
    }
  }

  /// Runs `errand`, which may take locks of the JDK's, on the watchdog's thread.
  void later(Runnable errand) {
    Watchdog dog = watchdog;
    if (dog != null) {
      dog.later(errand);
    }
  }

  // ---- coroutines, for flight recordings ----

  void record(boolean on) {
    recorded = on;
  }

  void spawned(CoroutineNode<?> coroutine) {
    if (recorded) {
      FlightEvents.started(loop.options().name(), coroutine.id(), coroutine.name());
    }
  }

  void ended(CoroutineNode<?> coroutine) {
    if (recorded) {
      FlightEvents.ended(
          loop.options().name(), coroutine.id(), coroutine.name(), coroutine.failure());
    }
  }

  // ---- telling: beside the loop, in its turn among the loop's lines ----

  /// Tells the operator. **Thread** any; never waits.
  void tell(StallReport report) {
    loop.log().warning(() -> report.text().stripTrailing());
    record(() -> FlightEvents.stalled(report));
    give(report);
  }

  /// Tells the operator. **Thread** any; never waits. The recording has it when the hold is over.
  ///
  /// @return whether the log has taken it by now
  BooleanSupplier tell(HoldReport report) {
    BooleanSupplier written = loop.log().trackedWarning(() -> report.text().stripTrailing());
    give(report);
    return written;
  }

  void over(HoldReport report, Duration held) {
    if (FlightEvents.areRecorded()) {
      FlightEvents.held(report, held);
    }
  }

  /// Tells the operator; whoever called `run` gets the error, which says it in words, too.
  void tell(DeadlockReport report) {
    // not on this thread: the JDK (25.0.3) loses the first event of one that has carried virtual
    // threads
    record(() -> FlightEvents.deadlocked(report));
    give(report);
  }

  private void record(Runnable event) {
    if (FlightEvents.areRecorded()) {
      loop.log().call("a flight recording", event);
    }
  }

  private void give(LoopReport report) {
    loop.log().call("a listener of reports", () -> loop.options().reports().accept(report));
  }
}
