// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.scheduler.Task.StepResult;
import org.jspecify.annotations.Nullable;

/// The run of a worker that somebody looks at. Its class is not linked before: so long compiled
/// code has the empty methods of [Task.Run] inlined without a check. After the first observer each
/// run checks a type.
final class ObservedRun extends Task.Run {
  private final WorkObserver observer;
  private final @Nullable WorkObserver receiver; // is told of what is received

  private ObservedRun(WorkObserver observer, @Nullable WorkObserver receiver) {
    this.observer = observer;
    this.receiver = receiver;
  }

  /// A run that `observer` is told of, and `receiver` of what it receives. Its type is the upper
  /// one, so that the verifier needs this class for no method that calls this.
  static Task.Run of(WorkObserver observer, @Nullable WorkObserver receiver) {
    return new ObservedRun(observer, receiver);
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
  public Task.@Nullable Run observed() {
    return receiver == null ? null : this;
  }

  @Override
  public void taken(@Nullable Node first) {
    if (receiver != null) {
      for (Node item = first; item != null; item = EventQueue.after(item)) {
        receiver.received(item);
      }
    }
  }

  @Override
  public void received(Node item) {
    if (receiver != null) {
      receiver.received(item);
    }
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
