// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/// A task is put into the FIFO while the only worker goes to sleep: the worker has not slept over
/// it.
///
/// The result is 1 when the worker is awake or nothing is there, 0 when it sleeps beside a task.
public class ParkingStress {
  private ParkingStress() {}

  /// **Model.** What the parking promises, with a lock.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "somebody is awake for the task")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "slept over the task")
  @State
  public static class Model {
    private boolean task;
    private boolean asleep;

    @Actor
    public synchronized void producer() {
      task = true;
      asleep = false;
    }

    @Actor
    public synchronized void worker() {
      asleep = !task;
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = asleep && task ? 0 : 1;
    }
  }

  /// A scheduler whose threads are not started: the actors play them.
  private static WorkScheduler unstarted() {
    return unstarted(1);
  }

  private static WorkScheduler unstarted(int workers) {
    return WorkerThread.newScheduler("stress", workers);
  }

  private static Task task() {
    return new Task(Task.QueuePriority.NORMAL) {
      @Override
      protected StepResult step(Run run) {
        return StepResult.DONE;
      }

      @Override
      protected void completed() {}
    };
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "somebody is awake for the task")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "slept over the task")
  @State
  public static class Real {
    private final WorkScheduler scheduler = unstarted();
    private final Worker worker = scheduler.workers()[0];

    @Actor
    public void producer() {
      scheduler.start(task(), null);
    }

    @Actor
    public void worker() {
      scheduler.parking().park(worker.place, scheduler.parking().startSearching());
      if (scheduler.hasWork()) {
        scheduler.parking().cancelPark(worker.place);
      }
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = worker.place.isAsleep() && scheduler.hasWork() ? 0 : 1;
    }
  }

  /// **Mutant.** The worker does not look again after it has said that it sleeps.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "somebody is awake for the task")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "slept over the task")
  @State
  public static class NoLook {
    private final WorkScheduler scheduler = unstarted();
    private final Worker worker = scheduler.workers()[0];

    @Actor
    public void producer() {
      scheduler.start(task(), null);
    }

    @Actor
    public void worker() {
      if (!scheduler.hasWork()) {
        scheduler.parking().park(worker.place, scheduler.parking().startSearching());
      }
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = worker.place.isAsleep() && scheduler.hasWork() ? 0 : 1;
    }
  }

  /// **Real class**, beside another worker, in whose step nothing moves.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "somebody is awake for the task")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "slept over the task")
  @State
  public static class RealBesideABusyOne {
    private final WorkScheduler scheduler = unstarted(2);
    private final Worker worker = scheduler.workers()[1];

    @Actor
    public void producer() {
      scheduler.start(task(), null);
    }

    @Actor
    public void worker() {
      scheduler.parking().park(worker.place, scheduler.parking().startSearching());
      if (scheduler.hasWork()) {
        scheduler.parking().cancelPark(worker.place);
      }
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = worker.place.isAsleep() && scheduler.hasWork() ? 0 : 1;
    }
  }

  /// **Mutant.** The producer wakes the worker that is busy, instead of one that sleeps.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "somebody is awake for the task")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "slept over the task")
  @State
  public static class WakesABusyOne {
    private final WorkScheduler scheduler = unstarted(2);
    private final Worker worker = scheduler.workers()[1];

    @Actor
    public void producer() {
      scheduler.global().push(task());
      scheduler.workers()[0].place.unpark();
    }

    @Actor
    public void worker() {
      scheduler.parking().park(worker.place, scheduler.parking().startSearching());
      if (scheduler.hasWork()) {
        scheduler.parking().cancelPark(worker.place);
      }
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = worker.place.isAsleep() && scheduler.hasWork() ? 0 : 1;
    }
  }

  /// **Real class**: a busy worker puts a second task into its deque while the other goes to sleep.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "somebody is awake for the task")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "slept over the task")
  @State
  public static class RealDeque {
    private final WorkScheduler scheduler = unstarted(2);
    private final Worker busy = scheduler.workers()[0];
    private final Worker worker = scheduler.workers()[1];

    public RealDeque() {
      scheduler.start(task(), busy);
    }

    @Actor
    public void producer() {
      scheduler.start(task(), busy);
    }

    @Actor
    public void worker() {
      scheduler.parking().park(worker.place, scheduler.parking().startSearching());
      if (scheduler.hasWork()) {
        scheduler.parking().cancelPark(worker.place);
      }
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = worker.place.isAsleep() && scheduler.hasWork() ? 0 : 1;
    }
  }

  /// **Mutant.** A push into the deque, which is only released, and no fence before the look at who
  /// sleeps.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "somebody is awake for the task")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "slept over the task")
  @State
  public static class NoFenceAfterPush {
    private final WorkDeque<Task> deque = new WorkDeque<>();
    private final Task task = task();
    private volatile boolean asleep; // what a push looks at in Parking, and nothing else of it
    private boolean woken;
    private boolean seen;

    @Actor
    public void producer() {
      deque.push(task);
      woken = asleep;
    }

    @Actor
    public void worker() {
      asleep = true;
      seen = deque.size() > 0;
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = woken || seen ? 1 : 0;
    }
  }
}
