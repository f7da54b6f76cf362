// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.util.function.Function;

/// A task of a test: its step is a function.
final class Probe extends Task {
  final int number;
  private final Function<Worker, StepResult> step;
  private final Runnable end;
  volatile boolean due;

  Probe(int number) {
    this(number, _ -> StepResult.DONE, () -> {});
  }

  Probe(int number, Function<Worker, StepResult> step, Runnable end) {
    this(QueuePriority.NORMAL, number, step, end);
  }

  Probe(QueuePriority queuePriority, int number, Function<Worker, StepResult> step, Runnable end) {
    super(queuePriority);
    this.number = number;
    this.step = step;
    this.end = end;
  }

  @Override
  protected StepResult step(Run run) {
    return step.apply(WorkerThread.currentWorker());
  }

  @Override
  protected boolean isResumable() {
    return due;
  }

  @Override
  protected void completed() {
    end.run();
  }
}
