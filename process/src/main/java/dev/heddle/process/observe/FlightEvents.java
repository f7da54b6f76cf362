// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.observe;

import dev.heddle.process.LongStep;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/// The events of processes in a flight recording. To load one starts the recorder: nothing may be
/// called here while [#areRecorded()] says no.
public final class FlightEvents {
  private FlightEvents() {}

  /// Whether a recording has been started in this JVM.
  public static boolean areRecorded() {
    return Presence.MODULE && FlightRecorder.isInitialized();
  }

  private static final class Presence {
    static final boolean MODULE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
  }

  /// A step lasts too long.
  public static void longStep(LongStep step) {
    LongProcessStep event = new LongProcessStep();
    if (event.shouldCommit()) {
      event.pid = step.pid().toString();
      event.kind = step.kind();
      event.worker = step.worker();
      event.lasted = step.lasted().toNanos();
      event.report = step.text();
      event.commit();
    }
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
}
