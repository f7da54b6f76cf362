// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.observe;

import dev.heddle.process.Exit;
import dev.heddle.process.LongStep;
import dev.heddle.process.ProcessCounters;
import dev.heddle.process.ProcessDeadlock;
import dev.heddle.process.QueueDelay;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/// The events of processes in a flight recording. Loading an event class starts the recorder, so
/// call nothing here while [#areRecorded()] is false.
public final class ProcessJfrEvents {
  private ProcessJfrEvents() {}

  /// Whether a recording has been started in this JVM.
  public static boolean areRecorded() {
    return Presence.MODULE && FlightRecorder.isInitialized();
  }

  /// Whether a recording that runs has enabled one of the events of what workers do.
  public static boolean workIsWanted() {
    return areRecorded() && WorkJfrEvents.areEnabled();
  }

  private static final class Presence {
    static final boolean MODULE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
  }

  public static void longStep(LongStep step) {
    LongProcessStep event = new LongProcessStep();
    if (event.shouldCommit()) {
      event.pid = step.pid().toString();
      event.kind = step.kind();
      event.worker = step.worker();
      event.lasted = step.duration().toNanos();
      event.report = step.text();
      event.commit();
    }
  }

  public static void abnormalEnd(String kind, Exit exit) {
    AbnormalProcessEnd event = new AbnormalProcessEnd();
    if (event.shouldCommit()) {
      event.pid = exit.pid().toString();
      event.kind = kind;
      event.reason = exit.reason().name();
      event.failure = exit.cause() == null ? null : exit.cause().getClass();
      event.message = exit.cause() == null ? null : exit.cause().getMessage();
      event.commit();
    }
  }

  public static void deadlock(ProcessDeadlock deadlock) {
    ProcessDeadlockFound event = new ProcessDeadlockFound();
    if (event.shouldCommit()) {
      event.kind = deadlock.kind().name();
      event.processes = deadlock.waits().size();
      event.lasted = deadlock.duration().toNanos();
      event.report = deadlock.text();
      event.commit();
    }
  }

  /// Records the counters of a runtime.
  ///
  /// @param delay since the last such event
  public static void runtime(String name, ProcessCounters counters, QueueDelay delay) {
    ProcessRuntimeCounts event = new ProcessRuntimeCounts();
    if (event.shouldCommit()) {
      event.runtime = name;
      event.processes = counters.processes();
      event.started = counters.started();
      event.executed = counters.executed();
      event.awake = (int) counters.workers().stream().filter(worker -> !worker.asleep()).count();
      event.samples = delay.samples();
      event.queueDelayMedian = delay.percentile(0.5).toNanos();
      event.queueDelayP99 = delay.percentile(0.99).toNanos();
      event.commit();
    }
  }

  @Name("dev.heddle.AbnormalProcessEnd")
  @Label("Abnormal Process End")
  @Category("Heddle")
  @Description("A process has ended abnormally")
  @StackTrace(false)
  static final class AbnormalProcessEnd extends Event {
    @Label("Process")
    @Nullable String pid;

    @Label("Kind")
    @Nullable String kind;

    @Label("Reason")
    @Nullable String reason;

    @Label("Failure")
    @Nullable Class<?> failure;

    @Label("Message")
    @Nullable String message;
  }

  @Name("dev.heddle.ProcessRuntimeCounts")
  @Label("Process Runtime Counts")
  @Category("Heddle")
  @Description("The counters of a process runtime, each second")
  @StackTrace(false)
  static final class ProcessRuntimeCounts extends Event {
    @Label("Runtime")
    @Nullable String runtime;

    @Label("Processes")
    int processes;

    @Label("Started")
    @Description("Since the start of the runtime")
    long started;

    @Label("Runs")
    @Description("Since the start of the runtime")
    long executed;

    @Label("Awake Workers")
    int awake;

    @Label("Queue Delay Samples")
    @Description("Since the last such event")
    long samples;

    @Label("Median Queue Delay")
    @Description(
        "Within which a half of those that were ready had a worker, since the last such event")
    @Timespan
    long queueDelayMedian;

    @Label("Queue Delay, 99th Percentile")
    @Description("Within which 99 of 100 that were ready had a worker, since the last such event")
    @Timespan
    long queueDelayP99;
  }

  @Name("dev.heddle.LongProcessStep")
  @Label("Long Process Step")
  @Category("Heddle")
  @Description("A step of a process has held its worker for longer than the limit")
  @StackTrace(false)
  static final class LongProcessStep extends Event {
    @Label("Process")
    @Nullable String pid;

    @Label("Kind")
    @Nullable String kind;

    @Label("Worker")
    @Nullable String worker;

    @Label("Lasted")
    @Timespan
    long lasted;

    @Label("Report")
    @Nullable String report;
  }

  @Name("dev.heddle.ProcessDeadlock")
  @Label("Process Deadlock")
  @Category("Heddle")
  @Description("Processes wait for each other, or all workers are blocked in steps")
  @StackTrace(false)
  static final class ProcessDeadlockFound extends Event {
    @Label("Kind")
    @Nullable String kind;

    @Label("Processes")
    int processes;

    @Label("Lasted")
    @Timespan
    long lasted;

    @Label("Report")
    @Nullable String report;
  }
}
