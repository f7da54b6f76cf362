// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.observe.DeadlockReport;
import dev.heddle.observe.HoldReport;
import dev.heddle.observe.StallReport;
import dev.heddle.observe.flight.FlightEvents;
import dev.heddle.observe.management.ManagedLoops;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// All that looks at a loop while it runs, and tells what it sees.
final class LoopWatch {
  private static final System.Logger LOG = System.getLogger("dev.heddle");

  private final LoopRoot loop;
  private final HoldWatch holds;
  private final StallWatch stalls;
  private final ManagedLoops.Entry management;
  private final long began = System.nanoTime();

  // written by the carrier as the loop begins, read by any thread
  private volatile @Nullable Watchdog watchdog;

  // the watchdog writes, the loop reads; safe: an event more or less at either end of a recording
  private boolean recorded = FlightEvents.areRecorded();

  LoopWatch(LoopRoot loop) {
    this.loop = loop;
    this.holds = new HoldWatch(loop);
    this.stalls = new StallWatch(loop, this);
    this.management = new ManagedLoops.Entry(new LoopBean(loop));
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

  ManagedLoops.Entry management() {
    return management;
  }

  /// How long it has watched, in nanoseconds.
  long age() {
    return System.nanoTime() - began;
  }

  void begin() {
    watchdog = Watchdog.watch(this);
  }

  void end() {
    Watchdog.unwatch(this);
  }

  /// The loop has slept and is awake.
  void stir() {
    Watchdog dog = watchdog;
    if (dog != null) {
      dog.stir();
    }
  }

  /// Runs `errand` on a thread that may take locks and call listeners.
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

  // ---- telling ----

  /// Tells the operator; on the loop or the watchdog.
  void tell(StallReport report) {
    later(() -> {
      LOG.log(System.Logger.Level.WARNING, report.text().stripTrailing());
      if (FlightEvents.areRecorded()) {
        FlightEvents.stalled(report);
      }
      loop.options().reports().accept(report);
    });
  }

  /// Tells the operator; on the watchdog. The recording has it when the hold is over.
  void tell(HoldReport report) {
    LOG.log(System.Logger.Level.WARNING, report.text().stripTrailing());
    loop.options().reports().accept(report);
  }

  void over(HoldReport report, Duration held) {
    if (FlightEvents.areRecorded()) {
      FlightEvents.held(report, held);
    }
  }

  /// Tells the operator; on the thread that gets the error, which says it in words, too.
  void tell(DeadlockReport report) {
    if (FlightEvents.areRecorded()) {
      recordOnAnotherThread(report);
    }
    try {
      loop.options().reports().accept(report);
    } catch (Throwable e) {
      loop.report("a listener of reports failed", e);
    }
  }

  // the JDK (25.0.3) loses the first event of a thread that has carried virtual threads
  private static void recordOnAnotherThread(DeadlockReport report) {
    Thread recorder = Thread.ofPlatform().daemon().start(() -> FlightEvents.deadlocked(report));
    try {
      recorder.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
