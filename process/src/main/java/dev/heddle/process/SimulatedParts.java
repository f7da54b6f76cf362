// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.HeddleOptions;
import dev.heddle.process.dispatch.CommandLoop;
import dev.heddle.process.dispatch.SimulatedLoop;
import dev.heddle.process.remote.RetryingExecutor;
import dev.heddle.process.scheduler.LongStepHandler;
import dev.heddle.process.scheduler.SimulatedWorkers;
import dev.heddle.process.scheduler.WorkerPool;
import dev.heddle.process.scheduler.WorkerThread;
import dev.heddle.process.simulation.MessageChecks;
import dev.heddle.process.simulation.ProcessWorld;
import dev.heddle.process.timer.SimulatedTimers;
import dev.heddle.process.timer.Timers;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The parts of a runtime in a simulation.
final class SimulatedParts extends RuntimeParts {
  private final ProcessWorld world;
  private final MessageChecks checks;
  private @Nullable SimulatedWorkers workers; // once they are made

  SimulatedParts(ProcessWorld world) {
    this.world = world;
    this.checks = new MessageChecks(world);
  }

  @Override
  int incarnation() {
    return (int) Math.floorMod(world.newSeed(), Integer.MAX_VALUE - 1L) + 1;
  }

  /// One worker where none was set: the number must not depend on the machine.
  @Override
  WorkerPool workers(String name, int count, LongStepHandler longSteps, Duration limit) {
    workers = new SimulatedWorkers(name, Math.max(1, count), longSteps, world, checks);
    return workers;
  }

  @Override
  CommandLoop loops(HeddleOptions options) {
    return new SimulatedLoop(options, world);
  }

  @Override
  Timers timers(String name) {
    return new SimulatedTimers(name, world);
  }

  /// On the coroutine that shuts down: a thread of its own would not belong to the simulation.
  @Override
  Executor beforeShutdown() {
    return Runnable::run;
  }

  /// On the calling thread, which is that of the simulation.
  @Override
  RetryingExecutor callbacks(Timers timers) {
    return new RetryingExecutor(Runnable::run, null, retries(timers), timers::nanoTime);
  }

  @Override
  Consumer<ProcessDeadlock> deadlocks(Consumer<ProcessDeadlock> asked) {
    return asked.andThen(deadlock -> world.failed(deadlock.text()));
  }

  /// Observers do not see it: a look from another thread would change the course of the simulation.
  @Override
  void join(RuntimeView runtime) {
    runtime.registration().showInDumps(() -> WorkerThread.currentWorld() == world);
    Objects.requireNonNull(workers).scheduler().onLook(runtime.lookForDeadlocks());
    world.started(new SimulatedView(runtime, checks));
  }

  /// Nothing: a recording follows real time.
  @Override
  void beginFlight(Runnable update) {}
}
