// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.scheduler.Task.StepResult;
import org.jspecify.annotations.Nullable;

/// The run of a worker that somebody looks at. Its class is not loaded before, so that compiled
/// code calls nothing in its place.
final class ObservedRun extends Task.Run {
  private final WorkObserver observer;

  ObservedRun(WorkObserver observer) {
    this.observer = observer;
  }

  @Override
  void begins(Task task, long picks) {
    super.begins(task, picks);
    try {
      observer.runBegins(task, picks);
    } catch (VirtualMachineError _) {
      // safe: what the observer sees is incomplete, but the task is in no queue, and must run
    }
  }

  @Override
  public Task.Run observed() {
    return this;
  }

  @Override
  public void taken(@Nullable Node first) {
    for (Node item = first; item != null; item = EventQueue.after(item)) {
      observer.received(item);
    }
  }

  @Override
  public void received(Node item) {
    observer.received(item);
  }

  @Override
  void ends(Task task, StepResult how) {
    try {
      observer.runEnds(task, how);
    } catch (VirtualMachineError _) {
      // safe: what the observer sees is incomplete
    }
  }
}
