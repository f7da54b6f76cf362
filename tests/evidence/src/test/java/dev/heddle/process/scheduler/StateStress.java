// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/// Something is published for a task and the task is woken, twice over, while a worker runs it and
/// lets it rest: some step sees both. And who wakes a task that rests is alone in that.
public class StateStress {
  private StateStress() {}

  /// **Model.** What the state word promises, with a lock.
  @JCStressTest
  @Outcome(id = "3", expect = ACCEPTABLE, desc = "a step saw both")
  @Outcome(expect = FORBIDDEN, desc = "a wake-up was lost")
  @State
  public static class Model {
    private int content;
    private int seen;

    @Actor
    public void waker() {
      for (int i = 1; i <= 2; i++) {
        synchronized (this) {
          content += i;
        }
      }
    }

    @Actor
    public synchronized void worker() {
      seen = content;
    }

    @Arbiter
    public void end(I_Result r) {
      worker();
      r.r1 = seen;
    }
  }

  /// A task that says what it saw, and the scheduler without threads in whose FIFO it stands when
  /// it was woken, or was slow.
  private static final class Reader extends Task {
    final WorkScheduler scheduler = WorkerThread.newScheduler("stress", 1);
    final AtomicInteger content = new AtomicInteger();
    private final StepResult stepResult;
    private int seen;

    Reader(StepResult stepResult) {
      super(QueuePriority.NORMAL);
      this.stepResult = stepResult;
    }

    void publish(int what, int why) {
      content.getAndAdd(what);
      scheduler.wake(this, why, WorkerThread.currentWorker());
    }

    void run() {
      StepResult _ = scheduler.workers()[0].runSteps(this, new Run());
    }

    int seenAtLast() {
      while (scheduler.global().poll() != null) {
        run();
      }
      return seen;
    }

    @Override
    protected StepResult step(Run run) {
      seen = content.get();
      return stepResult;
    }

    @Override
    protected void completed() {}
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(id = "3", expect = ACCEPTABLE, desc = "a step saw both")
  @Outcome(expect = FORBIDDEN, desc = "a wake-up was lost")
  @State
  public static class Real {
    private final Reader task = new Reader(Task.StepResult.IDLE);

    @Actor
    public void waker() {
      task.publish(1, Task.BY_MESSAGE);
      task.publish(2, Task.BY_COMMAND);
    }

    @Actor
    public void worker() {
      task.run();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = task.seenAtLast();
    }
  }

  /// **Real class**, two that wake it. Needs three processors.
  @JCStressTest
  @Outcome(id = "3", expect = ACCEPTABLE, desc = "a step saw both")
  @Outcome(expect = FORBIDDEN, desc = "a wake-up was lost")
  @State
  public static class RealTwoWakers {
    private final Reader task = new Reader(Task.StepResult.IDLE);

    @Actor
    public void one() {
      task.publish(1, Task.BY_MESSAGE);
    }

    @Actor
    public void other() {
      task.publish(2, Task.BY_COMMAND);
    }

    @Actor
    public void worker() {
      task.run();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = task.seenAtLast();
    }
  }

  /// **Real class**, waiting for commands only: what wakes it is what it has requested.
  @JCStressTest
  @Outcome(id = "3", expect = ACCEPTABLE, desc = "a step saw both")
  @Outcome(expect = FORBIDDEN, desc = "a wake-up was lost")
  @State
  public static class RealAwaitsCommands {
    private final Reader task = new Reader(Task.StepResult.WAIT_FOR_COMMANDS);

    @Actor
    public void waker() {
      task.publish(1, Task.BY_MESSAGE);
      task.publish(2, Task.BY_COMMAND);
    }

    @Actor
    public void worker() {
      task.run();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = task.seenAtLast();
    }
  }

  /// **Real class**: of two that wake a task that rests, one puts it into a queue.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "it is in one queue")
  @Outcome(expect = FORBIDDEN, desc = "it is in none, or in two")
  @State
  public static class RealOneQueue {
    private final Reader task = new Reader(Task.StepResult.IDLE);
    private final AtomicInteger queued = new AtomicInteger();

    /// With a task that rests.
    public RealOneQueue() {
      task.run();
    }

    @Actor
    public void one() {
      if (task.wake(Task.BY_MESSAGE)) {
        queued.getAndIncrement();
      }
    }

    @Actor
    public void other() {
      if (task.wake(Task.BY_COMMAND)) {
        queued.getAndIncrement();
      }
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = queued.get();
    }
  }

  /// **Mutant.** Whoever wakes a task that rests looks, and stores: two may do so.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "it is in one queue")
  @Outcome(expect = FORBIDDEN, desc = "it is in none, or in two")
  @State
  public static class WakesByStore {
    private static final int READY = 0;
    private static final int IDLE = 4;
    private final AtomicInteger word = new AtomicInteger(IDLE);
    private final AtomicInteger queued = new AtomicInteger();

    private void wake() {
      if (word.get() == IDLE) {
        word.set(READY);
        queued.getAndIncrement();
      }
    }

    @Actor
    public void one() {
      wake();
    }

    @Actor
    public void other() {
      wake();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = queued.get();
    }
  }

  /// **Mutant.** A wake-up whose CAS meets a change of the state does not look again: the task
  /// rests with something in its queue.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "a step saw it")
  @Outcome(expect = FORBIDDEN, desc = "a wake-up was lost")
  @State
  public static class NoRetry {
    private static final int RUNNING = 1;
    private static final int IDLE = 4;
    private static final int WOKEN = 8;
    private final AtomicInteger word = new AtomicInteger(RUNNING);
    private final AtomicInteger content = new AtomicInteger();
    private final AtomicInteger queued = new AtomicInteger();
    private int seen;

    private void wake() {
      int now = word.get();
      if (now == IDLE) {
        if (word.compareAndSet(now, 0)) {
          queued.getAndIncrement();
        }
      } else if (now == RUNNING) {
        word.compareAndSet(now, now | WOKEN); // and if not?
      }
    }

    @Actor
    public void waker() {
      content.getAndAdd(1);
      wake();
    }

    @Actor
    public void worker() {
      do {
        word.set(RUNNING);
        seen = content.get();
      } while (!word.compareAndSet(RUNNING, IDLE));
    }

    @Arbiter
    public void end(I_Result r) {
      if (queued.get() > 0) {
        seen = content.get();
      }
      r.r1 = seen;
    }
  }
}
