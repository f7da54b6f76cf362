// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.HeddleOptions;
import dev.heddle.process.dispatch.CommandLoop;
import dev.heddle.process.dispatch.SimulatedLoop;
import dev.heddle.process.scheduler.LongStepHandler;
import dev.heddle.process.scheduler.SimulatedWorkers;
import dev.heddle.process.scheduler.WorkerPool;
import dev.heddle.process.scheduler.WorkerThread;
import dev.heddle.process.simulation.ProcessWorld;
import dev.heddle.process.timer.SimulatedTimers;
import dev.heddle.process.timer.Timers;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/// The parts of a runtime that differ in a simulation. Chosen when the runtime is made: the parts
/// of a simulation are subclasses, which other programs do not load, so their calls stay direct.
///
/// @param world the simulation, or null for real threads and time
record RuntimeParts(@Nullable ProcessWorld world) {
  /// Those for a runtime that the current thread starts.
  static RuntimeParts ofCurrentThread() {
    return new RuntimeParts(WorkerThread.currentWorld());
  }

  /// The number of workers when none was set: in a simulation it must not depend on the machine.
  int usualWorkers() {
    return world == null ? Runtime.getRuntime().availableProcessors() : 1;
  }

  /// A random incarnation.
  int incarnation() {
    return world == null
        ? ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE)
        : (int) Math.floorMod(world.newSeed(), Integer.MAX_VALUE - 1L) + 1;
  }

  WorkerPool workers(ProcessRuntimeBuilder how, LongStepHandler longSteps) {
    int count = how.workers > 0 ? how.workers : usualWorkers();
    return world == null
        ? new WorkerPool(how.host, count, longSteps, BoundedWaits.bounded(how.longStep))
        : new SimulatedWorkers(how.host, count, longSteps, world);
  }

  CommandLoop loops(HeddleOptions options) {
    return world == null ? new CommandLoop(options) : new SimulatedLoop(options, world);
  }

  Timers timers(String name) {
    return world == null ? new Timers(name) : new SimulatedTimers(name, world);
  }
}
