// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.loop.LoopRuntime;
import dev.heddle.test.time.Agenda;
import dev.heddle.test.time.ClockDrift;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What the parts of one run share: its clock, its agenda, its limits; its loop and its picker,
/// once it has begun; and what was not controlled.
///
/// **Thread** carrier, but for [#loop()] and [#elapsed()].
final class RunParts {
  /// Whether the program has the module of processes.
  static final boolean HAS_PROCESSES = hasProcesses();

  private final Limits limits;
  private final VirtualClock clock;
  private final Agenda agenda;

  // carrier only
  private final Set<String> uncontrolled;
  private @Nullable RecordingPicker picker;
  private boolean usesProcesses; // whose answers end waits in the JDK
  private @Nullable Others others;

  // the carrier writes, any thread reads
  private volatile @Nullable LoopRuntime loop;

  RunParts(Limits limits) {
    this(limits, new VirtualClock(), new Agenda(), new LinkedHashSet<>());
  }

  private RunParts(Limits limits, VirtualClock clock, Agenda agenda, Set<String> uncontrolled) {
    this.limits = limits;
    this.clock = clock;
    this.agenda = agenda;
    this.uncontrolled = uncontrolled;
  }

  /// Those of a node of this run: it has a clock and a part of the agenda.
  RunParts forNode(ClockDrift drift) {
    return new RunParts(limits, clock.drifting(drift), agenda.part(drift), uncontrolled);
  }

  Limits limits() {
    return limits;
  }

  VirtualClock clock() {
    return clock;
  }

  Agenda agenda() {
    return agenda;
  }

  /// The virtual time since the beginning. **Thread** any.
  Duration elapsed() {
    return Duration.ofNanos(clock.nanoTime());
  }

  void begin(RecordingPicker chosen) {
    picker = chosen;
  }

  void started(LoopRuntime runtime) {
    loop = runtime;
  }

  private static boolean hasProcesses() {
    try {
      Class.forName("dev.heddle.process.ProcessRuntime", false, RunParts.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException _) {
      return false;
    }
  }

  /// The other loops of the run, as its own one sees them.
  interface Others {
    /// The run is about to report a deadlock.
    void onDeadlock();

    /// Whether nothing but the network can end their waits.
    boolean waitForNetworkOnly();
  }

  void attach(Others all) {
    others = all;
  }

  /// Reports that nothing can go on.
  void deadlocked() {
    if (others != null) {
      others.onDeadlock();
    }
    loop().onDeadlock();
  }

  boolean othersWaitForNetworkOnly() {
    return others == null || others.waitForNetworkOnly();
  }

  boolean hasBegun() {
    return picker != null;
  }

  RecordingPicker picker() {
    return Objects.requireNonNull(picker, "the run has not begun");
  }

  /// The loop; null: it has not started. **Thread** any.
  @Nullable LoopRuntime loopIfStarted() {
    return loop;
  }

  LoopRuntime loop() {
    return Objects.requireNonNull(loop, "the loop has not started");
  }

  /// Records that something outside of the simulation had a part in the course.
  ///
  /// @param what it, in words
  void uncontrolled(String what) {
    uncontrolled.add(what);
  }

  /// Records that something outside of the simulation may have had a part in the course.
  ///
  /// @param what it, in words
  void perhapsUncontrolled(String what) {
    uncontrolled.add(RunRecord.PERHAPS + what);
  }

  /// Whether the program has begun to use processes.
  boolean usesProcesses() {
    return usesProcesses;
  }

  void processesAreUsed() {
    usesProcesses = true;
  }

  /// Each once, in the order in which they came.
  List<String> uncontrolled() {
    return new ArrayList<>(uncontrolled);
  }
}
