// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/// Two workers take from the FIFO, or one takes while others push or look: each task is taken once,
/// and nobody sees the queue empty while a task is in it.
public class GlobalQueueStress {
  private GlobalQueueStress() {}

  private static final class Numbered extends Task {
    final int number;
    private final boolean due;

    Numbered(int number) {
      this(number, false);
    }

    Numbered(int number, boolean due) {
      super(QueuePriority.NORMAL);
      this.number = number;
      this.due = due;
    }

    @Override
    protected boolean isResumable() {
      return due;
    }

    @Override
    protected StepResult step(Run run) {
      return StepResult.DONE;
    }

    @Override
    protected void completed() {}
  }

  private static GlobalQueue filled(int tasks) {
    GlobalQueue queue = new GlobalQueue();
    for (int i = 0; i < tasks; i++) {
      queue.push(new Numbered(i));
    }
    return queue;
  }

  private static @Nullable Integer number(@Nullable Task task) {
    return task instanceof Numbered numbered ? numbered.number : null;
  }

  private static int verdict(Taken taken, GlobalQueue rest) {
    for (Integer number; (number = number(rest.poll())) != null; ) {
      taken.count(number);
    }
    return taken.verdict();
  }

  /// **Model.** What the queue promises, with a lock for everything.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "each task was taken once")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "a task was lost")
  @Outcome(id = "3", expect = FORBIDDEN, desc = "a task was taken twice")
  @State
  public static class Model {
    private final Taken taken = new Taken(2);
    private final ArrayDeque<Integer> queue = new ArrayDeque<>();

    @Actor
    public void producer() {
      for (int i = 0; i < 2; i++) {
        synchronized (this) {
          queue.add(i);
        }
      }
    }

    @Actor
    public synchronized void consumer() {
      taken.count(queue.poll());
    }

    @Arbiter
    public void end(I_Result r) {
      queue.forEach(taken::count);
      r.r1 = taken.verdict();
    }
  }

  /// **Real class**, a producer and a consumer.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "each task was taken once")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "a task was lost")
  @Outcome(id = "3", expect = FORBIDDEN, desc = "a task was taken twice")
  @State
  public static class Real {
    private final Taken taken = new Taken(3);
    private final GlobalQueue queue = filled(1);

    @Actor
    public void producer() {
      queue.push(new Numbered(1));
      queue.push(new Numbered(2));
    }

    @Actor
    public void consumer() {
      taken.count(number(queue.poll()));
      taken.count(number(queue.poll()));
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = verdict(taken, queue);
    }
  }

  /// **Real class**, two consumers: one takes a task, the other a batch.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "each task was taken once")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "a task was lost")
  @Outcome(id = "3", expect = FORBIDDEN, desc = "a task was taken twice")
  @State
  public static class RealTwoConsumers {
    private final Taken taken = new Taken(4);
    private final GlobalQueue queue = filled(4);
    private final WorkDeque<Task> own = new WorkDeque<>();

    @Actor
    public void one() {
      taken.count(number(queue.poll()));
      taken.count(number(queue.poll()));
    }

    @Actor
    public void other() {
      taken.count(number(queue.pollInto(own, 1)));
    }

    @Arbiter
    public void end(I_Result r) {
      taken.count(number(own.pop()));
      r.r1 = verdict(taken, queue);
    }
  }

  /// **Real class.** A compensating worker takes what is due out of the middle, while a worker
  /// pushes and polls.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "each task was taken once")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "a task was lost")
  @Outcome(id = "3", expect = FORBIDDEN, desc = "a task was taken twice")
  @State
  public static class RealPollsDue {
    private final Taken taken = new Taken(5);
    private final GlobalQueue queue = filled(2);

    /// With a due one behind two others.
    public RealPollsDue() {
      queue.push(new Numbered(2, true));
    }

    @Actor
    public void worker() {
      queue.push(new Numbered(3, true));
      taken.count(number(queue.poll()));
      queue.push(new Numbered(4));
    }

    @Actor
    public void compensatingWorker() {
      taken.count(number(queue.pollResumable()));
      taken.count(number(queue.pollResumable()));
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = verdict(taken, queue);
    }
  }

  /// **Real class.** One of two tasks is taken, while somebody looks whether there is work.
  @JCStressTest
  @Outcome(id = "false", expect = ACCEPTABLE, desc = "there is")
  @Outcome(id = "true", expect = FORBIDDEN, desc = "would fall asleep beside a task")
  @State
  public static class RealLooks {
    private final GlobalQueue queue = filled(2);

    @Actor
    public void consumer() {
      var _ = queue.poll();
    }

    @Actor
    public void sleeper(Z_Result r) {
      r.r1 = queue.isEmpty();
    }
  }

  /// **Mutant.** Consumers take without the lock.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "each task was taken once")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "a task was lost")
  @Outcome(id = "3", expect = FORBIDDEN, desc = "a task was taken twice")
  @State
  public static class FifoWithoutLock {
    private final Taken taken = new Taken(4);
    private final WeakFifo queue = new WeakFifo(WeakFifo.Fault.NO_LOCK);

    /// With four in it.
    public FifoWithoutLock() {
      for (int i = 0; i < 4; i++) {
        queue.push(i);
      }
    }

    private void poll() {
      taken.count(queue.poll());
      taken.count(queue.poll());
    }

    @Actor
    public void one() {
      poll();
    }

    @Actor
    public void other() {
      poll();
    }

    @Arbiter
    public void end(I_Result r) {
      for (Integer number; (number = queue.poll()) != null; ) {
        taken.count(number);
      }
      r.r1 = taken.verdict();
    }
  }

  /// **Mutant.** A consumer does not say that it turns round what has arrived.
  @JCStressTest
  @Outcome(id = "false", expect = ACCEPTABLE, desc = "there is work")
  @Outcome(id = "true", expect = FORBIDDEN, desc = "would fall asleep beside a task")
  @State
  public static class SilentTurn {
    private final WeakFifo queue = new WeakFifo(WeakFifo.Fault.NO_WORD_OF_THE_TURN);

    /// With two in it.
    public SilentTurn() {
      queue.push(0);
      queue.push(1);
    }

    @Actor
    public void consumer() {
      var _ = queue.poll();
    }

    @Actor
    public void sleeper(Z_Result r) {
      r.r1 = queue.isEmpty();
    }
  }
}
