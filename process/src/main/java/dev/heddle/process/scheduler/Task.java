// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.internal.VarHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// The unit that workers run: in steps, on one worker at a time, each time it was woken.
public abstract class Task {
  /*
   * States. wake(why) on a RUNNING task leaves a mark in the same word: BY_COMMAND or BY_MESSAGE.
   *
   * from                  event                      to                    by, with
   * READY                 a worker takes the task    RUNNING               worker, store (1)
   * RUNNING               wake(why)                  RUNNING | why         any thread, CAS (2)
   * RUNNING               CONTINUE, budget left      RUNNING               worker, store (3)
   * RUNNING               CONTINUE, budget spent     READY                 worker, store (4)
   * RUNNING               WAIT, no mark              BLOCKED               worker, CAS
   * RUNNING               IDLE, no mark              IDLE                  worker, CAS
   * RUNNING               WAIT_FOR_COMMANDS,         BLOCKED_ON_COMMANDS   worker, CAS (2)
   *                       no BY_COMMAND mark
   * RUNNING               WAIT or IDLE, any mark;    as for CONTINUE
   *                       WAIT_FOR_COMMANDS,
   *                       BY_COMMAND mark
   * RUNNING               DONE, or the step threw    COMPLETE              worker, store (5)
   * RUNNING, COMPLETE     error past catch blocks    COMPLETE              worker, store (6)
   * COMPLETE              completed() has failed     COMPLETE              worker (7)
   * BLOCKED, IDLE         wake(why)                  READY                 any thread, CAS (8)
   * BLOCKED_ON_COMMANDS   wake(BY_COMMAND)           READY                 any thread, CAS (8)
   * BLOCKED_ON_COMMANDS   wake(BY_MESSAGE)           unchanged             - (9)
   * READY, COMPLETE       wake(why)                  unchanged             - (9)
   *
   * All stores are volatile.
   *
   * (1) No other thread has a READY task in its hands.
   * (2) Repeated until it succeeds or another row applies.
   * (3) Clears the marks; the next step then drains the queue, or leaves events there and returns
   *     CONTINUE: see step().
   * (4) Then the worker appends the task to the global queue.
   * (5) Final. The worker then calls completed().
   * (6) Worker.runGuarded says which errors these are. The worker then queues the task as in (7).
   * (7) completed() threw a VirtualMachineError. The task goes to the list of unfinished ends
   *     (WorkScheduler.finishLater); a worker takes it from there and calls completed() again.
   * (8) The thread whose CAS succeeds puts the task into a run queue.
   * (9) Nothing to do: the message waits in the task's queue, the next step will drain it, or no
   *     step will follow.
   *
   * Threads. wake(): any. The steps, and what stands between them: the worker that took the task
   * from a queue (Worker.runSteps).
   *
   * I1. A READY task is in exactly one run queue, or in the hands of one thread, which is about to
   *     queue it or has taken it from a queue. `next` links the tasks of a queue, or those that one
   *     thread has in its hands, and has no other use. A COMPLETE task whose end is unfinished is
   *     queued by the same link. If a worker's stack ends before the task is queued, the worker
   *     queues it after the step (WakeUpJournal). A thread that is no worker checks its stack
   *     before it begins. [StateStress, StressTest, StackEndTest]
   * I2. What was published before wake() is seen by a step that begins after wake(), or has been
   *     seen already. [StateStress]
   * I3. At most one thread is between READY -> RUNNING and the end of that run. [StateStress]
   *
   * Memory order. A waker publishes the event, then reads the state. A worker stores RUNNING, then
   * drains; at the end of the run it does a CAS from RUNNING, which fails if a waker has left a
   * mark. These five accesses (publication, read of the state; store of RUNNING, drain, CAS) are
   * volatile or CASes, so they have one total order. A waker that reads READY, or finds its mark
   * already set, precedes the store that begins the next step, and that step drains what the waker
   * has published. A waker whose CAS fails reads the state again: it may have become IDLE
   * meanwhile. Mutants: StateStress.NoRetry, WakesByStore. An item that is added to a Burst is
   * published by a release store only; Burst says who wakes the task if the two miss each other.
   *
   * Cost. A wake-up is one CAS, or one read when the task was woken already. A run is one store and
   * one CAS.
   *
   * Rejected. A flag beside the state: two words whose order needs an argument. Clearing the mark
   * with a CAS: a store suffices, because the drain follows it.
   *
   * Sources. P7, P8.
   */

  /// Why a task is woken: the result of a command, or a control event.
  public static final int BY_COMMAND = 8;

  /// Why a task is woken: a message.
  public static final int BY_MESSAGE = 16;

  /// How a task continues after a step.
  public enum StepResult {
    /// with another step: at once, as long as its budget lasts
    CONTINUE,
    /// when anything wakes it; commands are pending
    WAIT,
    /// when a command result or a control event wakes it; messages do not
    WAIT_FOR_COMMANDS,
    /// when anything wakes it
    IDLE,
    DONE
  }

  /// Where a woken task is queued.
  public enum QueuePriority {
    /// before all others; nevertheless, every 61st pick takes another task
    HIGH,
    /// in the deque of the worker that wakes it, else at the tail of the global queue
    NORMAL,
    /// at the tail of the global queue
    LOW
  }

  public enum State {
    /// waits for a worker
    READY,
    /// a worker steps it
    RUNNING,
    /// waits for the result of a command
    BLOCKED,
    /// waits for anything, and has no pending command
    IDLE,
    COMPLETE
  }

  /// A run: the steps of one task on a worker, one after the other, until it waits or ends, or its
  /// budget is spent. Each worker has one object, for all its runs.
  ///
  /// **Thread** the worker.
  public static class Run {
    private int delivered;

    /// A run begins.
    ///
    /// @param picks the number of runs of its worker so far
    void begins(Task task, long picks) {
      delivered = 0;
    }

    /// This, when somebody looks; else null.
    public @Nullable Run observed() {
      return null;
    }

    /// The step was given these items. Does nothing unless somebody looks.
    ///
    /// @param first the others are behind it
    public void taken(@Nullable Node first) {}

    /// A body has received this item. Does nothing unless somebody looks.
    public void received(Node item) {}

    /// The run has ended. Does nothing unless somebody looks.
    void ends(Task task, StepResult how) {}

    /// The number of events that were delivered to the steps of this run.
    public int deliveredEvents() {
      return delivered;
    }

    public void countDelivered(int events) {
      delivered += events;
    }
  }

  private static final int READY = 0;
  private static final int RUNNING = 1;
  private static final int BLOCKED = 2;
  private static final int BLOCKED_ON_COMMANDS = 3;
  private static final int IDLE = 4;
  private static final int COMPLETE = 5;
  private static final int STATE = 7; // mask; above it are the marks of wake()

  private static final VarHandle WORD = VarHandles.find(lookup(), "word", int.class);

  final QueuePriority priority;

  // any thread: CAS; the worker that runs the task: store
  @SuppressWarnings("FieldMayBeFinal") // through WORD
  private volatile int word;

  // the thread that has the READY task in hand; published by the queue
  @Nullable Task next;
  long queuedNanos; // when it was queued; 0 when its delay is not sampled

  // the worker that runs the task
  private long steps;

  /// A task that is READY and in no queue yet: pass it to [WorkScheduler#start].
  protected Task(QueuePriority priority) {
    this.priority = priority;
    this.word = READY;
  }

  /// Runs one step, which handles what has arrived since the last one. A step that throws ends the
  /// task.
  ///
  /// A step that leaves events in the task's queue must return [StepResult#CONTINUE]: their
  /// wake-ups are used up, so nothing would wake the task for them. Messages may be left with
  /// [StepResult#WAIT_FOR_COMMANDS], and anything with [StepResult#DONE].
  ///
  /// @param run of which it is a step
  protected abstract StepResult step(Run run);

  /// Whether its next step resumes a fiber that the JDK has unblocked. Other threads may be waiting
  /// for a lock that this fiber holds. Any thread.
  protected boolean isResumable() {
    return false;
  }

  /// Called when no step will follow, on the worker of the last step. If it throws a
  /// [VirtualMachineError], because memory or stack has run out, a worker calls it again later, and
  /// it must then continue where it has stopped. It must not throw anything else.
  protected abstract void completed();

  /// Whether any event would make it READY, as of a moment ago.
  public final boolean isWaitingForAnything() {
    int seen = word;
    return seen == IDLE || seen == BLOCKED;
  }

  /// Wakes this task for something that the caller has published before.
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

  /// A number that no other task of its scheduler has, for traces; 0: none.
  public long number() {
    return 0;
  }

  /// How it has ended, for traces; empty: normally.
  public String outcome() {
    return "";
  }

  /// Names it in reports.
  public String label() {
    return getClass().getSimpleName();
  }

  /// Where it waits for an amount of real time, with the stack; null when it does not. **Thread**
  /// its worker, between two runs.
  public @Nullable String realTimeWait() {
    return null;
  }

  // ---- its worker ----

  /// A step begins: READY or RUNNING becomes RUNNING, without marks.
  final void beginStep() {
    word = RUNNING;
    steps++;
  }

  /// Its budget is spent; it must be queued then.
  final void makeReady() {
    word = READY;
  }

  /// No step will follow: it is done, or was aborted by an error that no catch block has seen.
  final void endSteps() {
    word = COMPLETE;
  }

  final boolean isComplete() {
    return word == COMPLETE;
  }

  /// Ends a run, unless the task was woken meanwhile.
  final boolean endRun(StepResult stepResult) {
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

  public final State state() {
    return switch (word & STATE) {
      case READY -> State.READY;
      case RUNNING -> State.RUNNING;
      case BLOCKED, BLOCKED_ON_COMMANDS -> State.BLOCKED;
      case IDLE -> State.IDLE;
      default -> State.COMPLETE;
    };
  }

  /// Whether only command results and control events would wake it, as of a moment ago.
  public final boolean awaitsCommandsOnly() {
    return word == BLOCKED_ON_COMMANDS;
  }

  /// The number of steps that have begun; for other threads as of a moment ago.
  public final long steps() {
    return steps;
  }

  private boolean casWord(int from, int to) {
    return WORD.compareAndSet(this, from, to);
  }
}
