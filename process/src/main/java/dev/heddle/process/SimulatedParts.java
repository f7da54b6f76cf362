// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.HeddleOptions;
import dev.heddle.process.dispatch.CommandLoop;
import dev.heddle.process.dispatch.SimulatedLoop;
import dev.heddle.process.scheduler.LongStepHandler;
import dev.heddle.process.scheduler.SimulatedScheduler;
import dev.heddle.process.scheduler.SimulatedWorkers;
import dev.heddle.process.scheduler.WorkerPool;
import dev.heddle.process.simulation.ProcessWorld;
import dev.heddle.process.timer.SimulatedTimers;
import dev.heddle.process.timer.Timers;

/// The parts of a runtime in a simulation.
final class SimulatedParts extends RuntimeParts {
  private final ProcessWorld world;

  SimulatedParts(ProcessWorld world) {
    this.world = world;
  }

  @Override
  int incarnation() {
    return (int) Math.floorMod(world.newSeed(), Integer.MAX_VALUE - 1L) + 1;
  }

  /// One worker where none was set: the number must not depend on the machine.
  @Override
  WorkerPool workers(ProcessRuntimeBuilder how, LongStepHandler longSteps) {
    return new SimulatedWorkers(how.host, Math.max(1, how.workers), longSteps, world);
  }

  @Override
  CommandLoop loops(HeddleOptions options) {
    return new SimulatedLoop(options, world);
  }

  @Override
  Timers timers(String name) {
    return new SimulatedTimers(name, world);
  }

  @Override
  void join(ProcessRuntime runtime) {
    SimulatedScheduler scheduler = (SimulatedScheduler) runtime.scheduler();
    scheduler.onLook(runtime.watchDeadlocks(deadlock -> world.failed(deadlock.text())));
    world.started(new SimulatedView(runtime, scheduler));
  }
}
