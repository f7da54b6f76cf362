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
/// lets it rest: some step sees both.
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
    public synchronized void one() {
      content |= 1;
    }

    @Actor
    public synchronized void other() {
      content |= 2;
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

  private static final class Reader extends Task {
    final AtomicInteger content;
    int seen;

    Reader(AtomicInteger content) {
      super(Rank.USUAL);
      this.content = content;
    }

    @Override
    protected Verdict step(Worker worker) {
      seen = content.get();
      return Verdict.REST;
    }

    @Override
    protected void completed(Worker worker) {}
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(id = "3", expect = ACCEPTABLE, desc = "a step saw both")
  @Outcome(expect = FORBIDDEN, desc = "a wake-up was lost")
  @State
  public static class Real {
    private final AtomicInteger content = new AtomicInteger();
    private final Reader task = new Reader(content);
    private final AtomicInteger queued = new AtomicInteger();

    @Actor
    public void one() {
      content.getAndAdd(1);
      if (task.wake(Task.BY_MESSAGE)) {
        queued.getAndIncrement();
      }
    }

    @Actor
    public void other() {
      content.getAndAdd(2);
      if (task.wake(Task.BY_COMMAND)) {
        queued.getAndIncrement();
      }
    }

    @Actor
    public void worker() {
      task.run(null);
    }

    @Arbiter
    public void end(I_Result r) {
      for (int runs = queued.get(); runs > 0; runs--) {
        task.run(null);
      }
      r.r1 = task.seen;
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
