// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.HeddleOptions;
import dev.heddle.process.dispatch.CommandLoop;
import dev.heddle.process.scheduler.LongStepHandler;
import dev.heddle.process.scheduler.WorkerPool;
import dev.heddle.process.scheduler.WorkerThread;
import dev.heddle.process.simulation.ProcessWorld;
import dev.heddle.process.timer.Timers;
import java.util.concurrent.ThreadLocalRandom;

/// The parts of a runtime that differ in a simulation: here those with real threads and time.
///
/// Chosen when the runtime is made. The parts of a simulation are subclasses, which other programs
/// do not load, so the calls of their methods stay direct. Test: SimulationCostTest.
sealed class RuntimeParts permits SimulatedParts {
  RuntimeParts() {}

  /// Those for a runtime that the current thread starts.
  static RuntimeParts ofCurrentThread() {
    ProcessWorld world = WorkerThread.currentWorld();
    return world == null ? new RuntimeParts() : new SimulatedParts(world);
  }

  /// A random incarnation.
  int incarnation() {
    return ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
  }

  WorkerPool workers(ProcessRuntimeBuilder how, LongStepHandler longSteps) {
    int count = how.workers > 0 ? how.workers : Runtime.getRuntime().availableProcessors();
    return new WorkerPool(how.host, count, longSteps, BoundedWaits.bounded(how.longStep));
  }

  CommandLoop loops(HeddleOptions options) {
    return new CommandLoop(options);
  }

  Timers timers(String name) {
    return new Timers(name);
  }

  /// Called when all parts of a runtime are there.
  void join(ProcessRuntime runtime) {
    runtime.register();
  }
}
