// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.simulation.MessageChecks;
import dev.heddle.process.simulation.ProcessWorld;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The workers of a runtime in a simulation. They have no threads, and no monitor: a step that
/// takes long takes no virtual time.
public final class SimulatedWorkers extends WorkerPool {
  /// @param count of workers, at least 1
  public SimulatedWorkers(
      String name, int count, LongStepHandler longSteps, ProcessWorld world, MessageChecks checks) {
    super(new SimulatedScheduler(count, world, checks), name, longSteps, Duration.ofDays(1));
  }

  @Override
  public SimulatedScheduler scheduler() {
    return (SimulatedScheduler) super.scheduler();
  }

  /// Nothing is to be started.
  @Override
  public void start() {}

  /// None: a step that blocks its thread blocks the simulation, which reports that itself.
  @Override
  public List<BlockedStep> blockedSteps() {
    return List.of();
  }

  @Override
  public void awaitEnd(Duration within) {}

  @Override
  public void awaitEnd(Duration within, Duration patience, Predicate<@Nullable Task> stuck) {}
}
