// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.simulation.MessageChecks;
import dev.heddle.process.simulation.ProcessWorld;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/// A scheduler whose simulation chooses which task runs next, and on which worker.
public final class SimulatedScheduler extends WorkScheduler {
  /*
   * Every ready task is an entry in the queue of the simulation (ProcessWorld). It runs one step,
   * so another task can come after each step; a body may end its step at each call that sends or
   * starts something. The states of Task are those of the product, and so is everything behind
   * step(): a wake-up that would be lost there is lost here. Deques, the global queue, parking and
   * the monitor have no part.
   *
   * The choice is wider than the product's: any ready task may be next, however long others have
   * waited, and whatever its priority is. A program must be correct in all these orders, because
   * another worker of the product may run the task at that moment.
   *
   * Workers. There are as many as the runtime was configured with, 1 by default. With several, the
   * simulation chooses one for each step. When it is not the one whose step has woken the task,
   * that counts as a steal.
   *
   * Threads. The carrier of the simulation. Another thread that wakes a task makes it READY, and
   * hands the queueing to the carrier (ProcessWorld.arrive), which names that thread.
   *
   * Deadlocks. The product looks once a second. Here a look is a timer of virtual time, which
   * exists only while a task may wait for another one. As long as no step runs, the pauses between
   * two looks double: a wait of years takes a few looks, and two looks at least the time apart that
   * a deadlock must last find it.
   */
  private static final long FIRST_LOOK_NANOS = 1_000_000_000; // as in the product
  private static final long LONGEST_PAUSE_NANOS = 86_400_000_000_000L; // a day of virtual time

  private final ProcessWorld world;
  private final WorkerThread carrier;
  private final MessageChecks checks;
  private final ArrivalOrder arrivals;
  private final IdentityHashMap<Task, Entry> entries = new IdentityHashMap<>();
  private long stepsRun;

  // the looks for deadlocks
  private Runnable look = () -> {};
  private boolean lookIsQueued;
  private long pauseNanos = FIRST_LOOK_NANOS;
  private long stepsAtLook;

  SimulatedScheduler(int count, ProcessWorld world, MessageChecks checks) {
    WorkerThread runsThis = WorkerThread.current();
    if (runsThis == null || WorkerThread.currentWorld() != world) {
      throw new IllegalStateException(
          "a simulated runtime is started in its simulation, not on " + Thread.currentThread());
    }
    BudgetClock budgets = new BudgetClock(world);
    super(count, (of, number) -> new SimulatedWorker(of, runsThis, number, budgets));
    this.world = world;
    this.carrier = runsThis;
    this.checks = checks;
    this.arrivals = new ArrivalOrder(world, runsThis);
  }

  @Override
  public EventQueue newQueue(Task of, int bound, boolean dropsOldest) {
    return new SimulatedQueue(arrivals, checks, of, bound, dropsOldest);
  }

  // ---- entries of the queue of the simulation ----

  @Override
  public void wake(Task task, int why, @Nullable Worker worker) {
    if (why == WakeUpJournal.IS_READY || task.wake(why)) {
      enqueueLast(task);
    }
  }

  @Override
  void enqueueLast(Task task) {
    if (carrier.isCurrent()) {
      entryOf(task).queue();
    } else {
      Thread by = Thread.currentThread();
      world.arrive(by + " wakes " + task.label(), () -> entryOf(task).queue());
    }
  }

  /// Finishes the end of a task by another entry.
  @Override
  public void finishLater(Task task) {
    enqueueLast(task);
  }

  private Entry entryOf(Task task) {
    Entry known = entries.get(task);
    if (known == null) {
      known = new Entry(task);
      entries.put(task, known);
    }
    return known;
  }

  /// A task, when it is ready.
  private final class Entry extends ArrivalOrder.Sender implements Runnable {
    private final Task task;
    private @Nullable Worker wokenBy;

    Entry(Task task) {
      super(task.label());
      this.task = task;
      arrivals.begins(this);
    }

    void queue() {
      wokenBy = carrier.worker;
      world.later(name(), this);
    }

    @Override
    public void run() {
      if (Thread.currentThread() != carrier.real()) {
        return; // the simulation has ended: what it has left runs nowhere
      }
      Worker[] workers = workers();
      int chosen = workers.length == 1 ? 0 : world.choose(workers.length);
      SimulatedWorker worker = (SimulatedWorker) workers[chosen];
      if (wokenBy != null && wokenBy != worker && wokenBy.scheduler() == SimulatedScheduler.this) {
        worker.stolen++;
      }
      world.trace(() -> "worker " + chosen + " steps " + name());
      stepsRun++;
      boolean again;
      arrivals.beginStep(this);
      try {
        again = worker.runStep(task);
      } finally {
        arrivals.endStep();
      }
      if (again) {
        queue();
      } else if (task.isComplete()) {
        entries.remove(task);
      } else {
        refuseRealTime();
      }
      queueLookAfterStep();
    }

    private void refuseRealTime() {
      String wait = world.endsTimedWaits() ? null : task.realTimeWait();
      if (wait != null) {
        world.failed(
            name()
                + " waits in the JDK for an amount of real time, which the simulation does not"
                + " control; use sleep() and limits of the process, or run with the agent"
                + " heddle-world:"
                + wait);
      }
    }
  }

  // ---- deadlocks ----

  /// Sets how to look for processes that wait for each other. Before the start.
  public void onLook(Runnable action) {
    look = action;
  }

  @Override
  public void taskMayWait() {
    super.taskMayWait();
    queueLook();
  }

  private void queueLookAfterStep() {
    if (mayTaskWait()) {
      queueLook();
    }
  }

  private void queueLook() {
    if (!lookIsQueued && carrier.isCurrent()) {
      lookIsQueued = true;
      world.at(world.nanoTime() + pauseNanos, this::lookForDeadlocks);
    }
  }

  private void lookForDeadlocks() {
    lookIsQueued = false;
    pauseNanos =
        stepsRun == stepsAtLook ? Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS) : FIRST_LOOK_NANOS;
    stepsAtLook = stepsRun;
    if (!isHalted()) {
      look.run(); // records again that tasks wait, if they do
    }
  }
}
