// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.jfr;

import dev.heddle.observe.DeadlockReport;
import dev.heddle.observe.HoldReport;
import dev.heddle.observe.StallReport;
import java.time.Duration;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/// The events of a loop in a flight recording.
///
/// Loading an event class costs a third of a second of CPU, since it starts the recorder. So none
/// is loaded before a recording has been started, and nothing may be called here unless
/// [#areRecorded()].
public final class LoopJfrEvents {
  private static final boolean IS_PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private LoopJfrEvents() {}

  public static boolean areRecorded() {
    return IS_PRESENT && FlightRecorder.isInitialized();
  }

  /// Whether a recording that runs has enabled one of the events of switches.
  public static boolean switchesAreWanted() {
    return areRecorded() && SwitchJfrEvents.areEnabled();
  }

  /// Records that a coroutine was spawned; the event's stack is its spawner's.
  public static void started(String loop, long id, String name) {
    CoroutineStart event = new CoroutineStart();
    if (event.shouldCommit()) {
      event.loop = loop;
      event.coroutine = id;
      event.name = name;
      event.commit();
    }
  }

  public static void ended(String loop, long id, String name, @Nullable Throwable failure) {
    CoroutineEnd event = new CoroutineEnd();
    if (event.shouldCommit()) {
      event.loop = loop;
      event.coroutine = id;
      event.name = name;
      event.failure = failure == null ? null : failure.getClass();
      event.commit();
    }
  }

  public static void held(HoldReport report, Duration held) {
    LongHold event = new LongHold();
    if (event.shouldCommit()) {
      event.loop = report.loop();
      event.coroutine = report.coroutine();
      event.held = held.toNanos();
      event.activity = report.activity().description();
      event.report = report.text();
      event.commit();
    }
  }

  public static void deadlocked(DeadlockReport report) {
    Deadlock event = new Deadlock();
    if (event.shouldCommit()) {
      event.loop = report.loop();
      event.report = report.text();
      event.commit();
    }
  }

  public static void stalled(StallReport report) {
    Stall event = new Stall();
    if (event.shouldCommit()) {
      event.loop = report.loop();
      event.report = report.text();
      event.commit();
    }
  }

  @Name("dev.heddle.CoroutineStart")
  @Label("Coroutine Start")
  @Category("Heddle")
  @Description("A coroutine was spawned")
  static final class CoroutineStart extends Event {
    @Label("Loop")
    @Nullable String loop;

    @Label("Coroutine")
    long coroutine;

    @Label("Name")
    @Nullable String name;
  }

  @Name("dev.heddle.CoroutineEnd")
  @Label("Coroutine End")
  @Category("Heddle")
  @Description("A coroutine has ended")
  @StackTrace(false)
  static final class CoroutineEnd extends Event {
    @Label("Loop")
    @Nullable String loop;

    @Label("Coroutine")
    long coroutine;

    @Label("Name")
    @Nullable String name;

    @Label("Failure")
    @Nullable Class<?> failure;
  }

  @Name("dev.heddle.LongHold")
  @Label("Long Hold")
  @Category("Heddle")
  @Description("A coroutine kept the loop from all others for longer than the limit")
  @StackTrace(false)
  static final class LongHold extends Event {
    @Label("Loop")
    @Nullable String loop;

    @Label("Coroutine")
    @Nullable String coroutine;

    @Label("Held")
    @Timespan
    long held;

    @Label("Activity")
    @Nullable String activity;

    @Label("Report")
    @Nullable String report;
  }

  @Name("dev.heddle.Deadlock")
  @Label("Deadlock")
  @Category("Heddle")
  @Description("All coroutines of a loop are deadlocked")
  @StackTrace(false)
  static final class Deadlock extends Event {
    @Label("Loop")
    @Nullable String loop;

    @Label("Report")
    @Nullable String report;
  }

  @Name("dev.heddle.Stall")
  @Label("Stall")
  @Category("Heddle")
  @Description("Nothing has happened in a loop whose coroutines wait in the JDK")
  @StackTrace(false)
  static final class Stall extends Event {
    @Label("Loop")
    @Nullable String loop;

    @Label("Report")
    @Nullable String report;
  }
}
