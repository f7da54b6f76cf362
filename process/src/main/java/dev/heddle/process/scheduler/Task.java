// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// What workers run: step by step, on one worker at a time, whenever something has woken it.
public abstract class Task {
  /*
   * States.  from      event                          to         who, order
   *          READY     a worker has taken it          RUNNING    worker: volatile store; it alone
   *                                                              holds a READY task
   *          RUNNING   wake(why)                      RUNNING|why any thread: CAS, again until it
   *                                                   holds or the state has changed
   *          RUNNING   CONTINUE, budget left          RUNNING    worker: volatile store, forgets
   *                                                              why it was woken, then drains
   *          RUNNING   CONTINUE, budget spent         READY      worker: volatile store, then the
   *                                                              tail of the FIFO
   *          RUNNING   WAIT, not woken                BLOCKED    worker: CAS
   *          RUNNING   IDLE, not woken                IDLE       worker: CAS
   *          RUNNING   WAIT_FOR_COMMANDS, no command woke it  BLOCKED_ON_COMMANDS       worker: CAS, again while messages wake it
   *          RUNNING   one of these three, but woken  as CONTINUE
   *          RUNNING   DONE, or the step has thrown   COMPLETE   worker: volatile store, for ever;
   *                                                              then completed()
   *          RUNNING, COMPLETE  cut off, uncaught     COMPLETE   worker: volatile store, then onto
   *                                                              the same list (Worker.runGuarded)
   *          COMPLETE  completed() lacked memory      COMPLETE   worker: onto the list of ends to
   *                                                              be finished
   *                                                              (WorkScheduler.finishLater)
   *          COMPLETE  a worker has taken it          COMPLETE   worker: completed() once more
   *          BLOCKED, IDLE   wake(why)                READY      any thread: CAS; the winner puts
   *                                                              it into a run queue
   *          BLOCKED_ON_COMMANDS      wake(BY_COMMAND)               READY      the same
   *          BLOCKED_ON_COMMANDS      wake(BY_MESSAGE)               BLOCKED_ON_COMMANDS       nobody: what woke it waits in its queue
   *          READY, COMPLETE   wake(why)              same       nobody: it will look, or never
   *                                                              again
   *
   * Threads. wake(): any. run(): the worker that took the task from a queue.
   *
   * I1. A READY task is in exactly one run queue, or in the hands of the one thread that is about
   *     to put it there. `next` is the link of that queue, and of nothing else. A COMPLETE task
   *     whose end lacked memory is in one of them too, by the same link. Where a step's stack ends
   *     on the way there, its worker goes the rest of the way when the step has ended
   *     (WakeUpJournal); a thread that is no worker begins only what its stack has room for.
   *     [StateStress, StressTest, StackEndTest]
   * I2. What was published before wake() is seen by a step that begins after it, or has been seen.
   *     [StateStress]
   * I3. At most one thread is between READY -> RUNNING and the end of that run. [StateStress]
   *
   * Memory order. Waker: publish the event, then read the state. Worker: store RUNNING, then
   * drain; and at the end CAS from RUNNING, which fails when a waker has left its mark. All four
   * are volatile, so there is an order of them all: a waker that finds READY, or its mark set
   * already, comes before the store that begins the next step, which will drain what it published.
   * A waker whose CAS fails looks again: the state may have become IDLE under it. Mutants:
   * StateStress.NoRetry, WakesByStore.
   *
   * Cost. A wake-up is one CAS, or one read when somebody else has woken the task already. A run
   * is one store and one CAS.
   *
   * Rejected. A flag beside the state: two words, and an order between them to be argued for.
   * Clearing the mark by CAS: a store will do, since the drain comes after it.
   *
   * Sources. P7, P8.
   */

  /// Why a task is woken: something it asked for has come, or somebody controls it.
  public static final int BY_COMMAND = 8;

  /// Why a task is woken: somebody has sent it something.
  public static final int BY_MESSAGE = 16;

  /// What a step asks for.
  public enum StepResult {
    /// to step again, within its budget at once
    CONTINUE,
    /// to be woken by anything; it has asked for something
    WAIT,
    /// to be woken by what it has asked for, and by control, only
    WAIT_FOR_COMMANDS,
    /// to be woken by anything
    IDLE,
    /// nothing more
    DONE
  }

  /// Where a task that is woken stands in line.
  public enum QueuePriority {
    /// before all others; every 61st pick goes to others all the same
    HIGH,
    /// with its waker, or behind those that wait for all workers
    NORMAL,
    /// behind those that wait for all workers
    LOW
  }

  /// The states as reports name them.
  public enum State {
    /// waits for a worker
    READY,
    /// a worker steps it
    RUNNING,
    /// waits for what it has asked for
    BLOCKED,
    /// waits for anything
    IDLE,
    /// has ended
    COMPLETE
  }

  private static final int READY = 0;
  private static final int RUNNING = 1;
  private static final int BLOCKED = 2;
  private static final int BLOCKED_ON_COMMANDS = 3;
  private static final int IDLE = 4;
  private static final int COMPLETE = 5;
  private static final int STATE = 7; // mask; above it why a running task was woken

  private static final int BUDGET_STEPS = 16; // in a run, before others are looked at
  private static final long BUDGET_NANOS = 200_000; // the same in time

  private static final VarHandle WORD;

  static {
    try {
      WORD = MethodHandles.lookup().findVarHandle(Task.class, "word", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final QueuePriority priority;

  // any thread, CAS; the worker that runs it stores
  @SuppressWarnings("FieldMayBeFinal") // through WORD
  private volatile int word;

  // whoever holds the READY task; published by the queue it is put into
  @Nullable Task next;
  long queuedNanos; // when it was put there; 0 when that is not to be timed

  // the worker that runs it
  private long steps;

  /// A task that is READY and in no queue yet: hand it to [WorkScheduler#start].
  protected Task(QueuePriority priority) {
    this.priority = priority;
    this.word = READY;
  }

  /// Runs one step: takes what has come since the last one. One that throws was the last.
  ///
  /// @param worker on whose thread this is
  protected abstract StepResult step(Worker worker);

  /// Whether its next step goes on with a body that the JDK has let go on: others may wait for what
  /// that holds. Any thread.
  protected boolean isResumable() {
    return false;
  }

  /// Called when no step will ever follow, on the worker of the last one. When it throws a
  /// [VirtualMachineError], for want of memory or stack, a worker calls it again a while later: it
  /// goes on where it has stopped. Must not throw anything else.
  protected abstract void completed(Worker worker);

  /// Whether anything that comes would make it READY, as of a moment ago.
  public final boolean isWaitingForAnything() {
    int seen = word;
    return seen == IDLE || seen == BLOCKED;
  }

  /// Says that something has come for this task, after it was published.
  ///
  /// @return whether the caller must put the task into a run queue
  public final boolean wake(int why) {
    while (true) {
      int seen = word;
      switch (seen & STATE) {
        case IDLE, BLOCKED -> {
          if (casWord(seen, READY)) {
            return true;
          }
        }
        case BLOCKED_ON_COMMANDS -> {
          if (why == BY_MESSAGE) {
            return false;
          }
          if (casWord(seen, READY)) {
            return true;
          }
        }
        case RUNNING -> {
          if ((seen & why) != 0 || casWord(seen, seen | why)) {
            return false;
          }
        }
        default -> {
          return false;
        }
      }
    }
  }

  /// Runs the task until it waits, ends, or has used up its budget.
  final void run(Worker worker) {
    if (word == COMPLETE) { // its end has stopped half-way
      complete(worker);
      return;
    }
    word = RUNNING;
    long deadline = 0;
    for (int left = BUDGET_STEPS; ; left--) {
      steps++;
      StepResult stepResult;
      worker.isInTask = true;
      try {
        stepResult = step(worker);
      } catch (Throwable t) {
        worker.taskThrew(this, t);
        stepResult = StepResult.DONE; // else it would be RUNNING for ever
      }
      worker.isInTask = false; // from here on it may become another's
      if (stepResult == StepResult.DONE) {
        word = COMPLETE;
        complete(worker);
        return;
      }
      if (stepResult != StepResult.CONTINUE && endRun(stepResult)) {
        return; // from here on others may run it
      }
      if (deadline == 0) {
        deadline = System.nanoTime() + BUDGET_NANOS;
      } else if (left <= 1 || System.nanoTime() - deadline >= 0) {
        word = READY;
        worker.scheduler().enqueueLast(this);
        return;
      }
      word = RUNNING;
    }
  }

  /// Its step, or its end, was cut off where no catch block could see it: it has ended, and a
  /// worker goes on with that. Its worker, which has it still.
  final void abortRun() {
    word = COMPLETE;
  }

  private void complete(Worker worker) {
    worker.isInTask = true;
    try {
      worker.endBurst(); // before anybody can know of the end
      completed(worker);
    } catch (VirtualMachineError _) {
      worker.isInTask = false; // from here on it is another's
      worker.scheduler().finishLater(this); // safe: it is called again until it does not throw
    } catch (Throwable t) {
      worker.taskThrew(this, t);
    }
    worker.isInTask = false;
  }

  /// Ends a run unless something has woken the task meanwhile.
  private boolean endRun(StepResult stepResult) {
    int to =
        switch (stepResult) {
          case WAIT -> BLOCKED;
          case WAIT_FOR_COMMANDS -> BLOCKED_ON_COMMANDS;
          case IDLE -> IDLE;
          case CONTINUE, DONE -> throw new IllegalStateException("no end of a run: " + stepResult);
        };
    if (to != BLOCKED_ON_COMMANDS) {
      return casWord(RUNNING, to);
    }
    for (int seen = word; (seen & BY_COMMAND) == 0; seen = word) {
      if (casWord(seen, BLOCKED_ON_COMMANDS)) {
        return true;
      }
    }
    return false;
  }

  /// The state, of which nothing is known a moment later.
  public final State state() {
    return switch (word & STATE) {
      case READY -> State.READY;
      case RUNNING -> State.RUNNING;
      case BLOCKED, BLOCKED_ON_COMMANDS -> State.BLOCKED;
      case IDLE -> State.IDLE;
      default -> State.COMPLETE;
    };
  }

  /// Whether it waits for what it has asked for, and lets messages wait; as of a moment ago.
  protected final boolean awaitsCommandsOnly() {
    return word == BLOCKED_ON_COMMANDS;
  }

  /// How many steps have begun; from another thread a value of some moment ago.
  public final long steps() {
    return steps;
  }

  private boolean casWord(int from, int to) {
    return WORD.compareAndSet(this, from, to);
  }
}
