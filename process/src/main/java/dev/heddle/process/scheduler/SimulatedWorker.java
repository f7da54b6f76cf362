// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.scheduler.Task.StepResult;

/// A worker without a thread: its steps run on the carrier of a simulation.
final class SimulatedWorker extends Worker {
  private final WorkerThread carrier;
  private final BudgetClock budgets;
  private boolean again; // the task of this step is READY

  SimulatedWorker(WorkScheduler scheduler, WorkerThread carrier, int number, BudgetClock budgets) {
    super(scheduler, carrier.real(), number);
    this.carrier = carrier;
    this.budgets = budgets;
  }

  /// Never: a burst is one node of a mailbox, and the order of arrivals is that of nodes.
  @Override
  public boolean isBurst(long receiver) {
    return false;
  }

  /// Each call of a fiber reads the clock of budgets.
  @Override
  public int callsAtBudgetRead() {
    return Integer.MAX_VALUE - 1;
  }

  @Override
  public long budgetNanos() {
    return budgets.read();
  }

  /// Runs one step of a READY task, or finishes the end of a COMPLETE one.
  ///
  /// @return whether the task is to be queued again
  boolean runStep(Task task) {
    carrier.worker = this;
    again = false;
    try {
      run(task);
    } finally {
      carrier.worker = null;
    }
    return again;
  }

  /// A run is one step.
  @Override
  StepResult runSteps(Task task, Task.Run run) {
    if (task.isComplete()) { // completed() has failed before
      return complete(task);
    }
    task.beginStep();
    StepResult result;
    try {
      result = task.step(run);
    } catch (Throwable t) {
      logSafely("gives up a task", task, t);
      result = StepResult.DONE;
    }
    if (result == StepResult.DONE) {
      task.endSteps();
      return complete(task);
    }
    if (result == StepResult.CONTINUE || !task.endRun(result)) {
      task.makeReady();
      again = true;
      return StepResult.CONTINUE;
    }
    return result;
  }
}
