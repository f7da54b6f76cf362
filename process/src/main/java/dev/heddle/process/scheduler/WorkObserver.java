// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.scheduler.Task.StepResult;
import org.jspecify.annotations.Nullable;

/// Is told what a worker does, while somebody looks; or what all threads do that are no workers.
///
/// **Thread** the worker, or the body that it has mounted; for other threads any.
public interface WorkObserver {
  /// A run begins.
  ///
  /// @param picks the number of runs of this worker so far, this one included
  default void runBegins(Task task, long picks) {}

  /// The step was given an item of its queue, or a body has received one.
  default void received(Node item) {}

  /// The run that has begun ends; another worker may run the task by now.
  ///
  /// @param how [StepResult#CONTINUE]: its budget is spent; [StepResult#DONE]: the task has ended
  default void runEnds(Task task, StepResult how) {}

  /// The worker has found no task, and searches for one.
  default void searches() {}

  /// The worker parks.
  default void sleeps() {}

  /// The worker goes on; it may have parked before it was observed.
  ///
  /// @param parks how often this worker has parked so far
  default void slept(long parks) {}

  /// The worker has taken tasks from a queue into which other threads put theirs.
  default void tookShared() {}

  /// The worker has taken tasks of another one.
  ///
  /// @param first of them, which it runs now
  /// @param stolen the number of tasks that this worker has taken so far, these included
  default void stole(Task first, int tasks, int from, long stolen) {}

  /// The number of a message that is about to be sent; 0: it needs none.
  default int nextNumber() {
    return 0;
  }

  /// A message was accepted.
  ///
  /// @param item null: it cannot be told from others; its number is [#nextNumber], or 0
  default void sent(Task to, @Nullable Node item) {}

  /// A task was made ready by an event, or was started ([WakeUpJournal#IS_READY]).
  default void woke(Task task, int why) {}

  /// A task issues a command, in its step.
  default void issued(Task by, Class<?> command, long tag) {}

  /// The reply to a command was delivered.
  default void completed(Task of, long tag, boolean failed) {}

  /// A supervisor restarts a child, or several together, in its step.
  default void restarts() {}

  /// Two that are told the same.
  record Both(WorkObserver first, WorkObserver second) implements WorkObserver {
    @Override
    public void runBegins(Task task, long picks) {
      first.runBegins(task, picks);
      second.runBegins(task, picks);
    }

    @Override
    public void received(Node item) {
      first.received(item);
      second.received(item);
    }

    @Override
    public void runEnds(Task task, StepResult how) {
      first.runEnds(task, how);
      second.runEnds(task, how);
    }

    @Override
    public void searches() {
      first.searches();
      second.searches();
    }

    @Override
    public void sleeps() {
      first.sleeps();
      second.sleeps();
    }

    @Override
    public void slept(long parks) {
      first.slept(parks);
      second.slept(parks);
    }

    @Override
    public void tookShared() {
      first.tookShared();
      second.tookShared();
    }

    @Override
    public int nextNumber() {
      int number = first.nextNumber();
      return number == 0 ? second.nextNumber() : number;
    }

    @Override
    public void stole(Task task, int tasks, int from, long stolen) {
      first.stole(task, tasks, from, stolen);
      second.stole(task, tasks, from, stolen);
    }

    @Override
    public void sent(Task to, @Nullable Node item) {
      first.sent(to, item);
      second.sent(to, item);
    }

    @Override
    public void woke(Task task, int why) {
      first.woke(task, why);
      second.woke(task, why);
    }

    @Override
    public void issued(Task by, Class<?> command, long tag) {
      first.issued(by, command, tag);
      second.issued(by, command, tag);
    }

    @Override
    public void completed(Task of, long tag, boolean failed) {
      first.completed(of, tag, failed);
      second.completed(of, tag, failed);
    }

    @Override
    public void restarts() {
      first.restarts();
      second.restarts();
    }
  }
}
