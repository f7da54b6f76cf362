// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/// A task is added while the one before it ends: it is called.
public class SerialExecutorStress {
  private SerialExecutorStress() {}

  /// A task that is called, and will run.
  private static final class Tasks {
    private final Queue<Runnable> calls = new ConcurrentLinkedQueue<>();
    private final AtomicInteger done = new AtomicInteger();
    private final Executor serial;

    Tasks(boolean isReal) {
      serial = isReal ? new SerialExecutor(calls::add) : new LooksTooSoonExecutor(calls::add);
      add();
    }

    void add() {
      serial.execute(done::incrementAndGet);
    }

    void runCalls() {
      for (Runnable call = calls.poll(); call != null; call = calls.poll()) {
        call.run();
      }
    }
  }

  /// A thread looks for the next task, and then says that none runs them.
  private record LooksTooSoonExecutor(
      Executor threads, Queue<Runnable> waiting, AtomicBoolean running) implements Executor {
    LooksTooSoonExecutor(Executor threads) {
      this(threads, new ConcurrentLinkedQueue<>(), new AtomicBoolean());
    }

    @Override
    public void execute(Runnable task) {
      waiting.add(task);
      if (running.compareAndSet(false, true)) {
        threads.execute(this::run);
      }
    }

    private void run() {
      for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
        next.run();
      }
      running.set(false);
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "both have run")
  @Outcome(expect = FORBIDDEN, desc = "a task stays")
  @State
  public static class Real {
    private final Tasks tasks = new Tasks(true);

    @Actor
    public void caller() {
      tasks.add();
    }

    @Actor
    public void thread() {
      tasks.runCalls();
    }

    @Arbiter
    public void end(I_Result r) {
      tasks.runCalls();
      r.r1 = tasks.done.get();
    }
  }

  /// **Mutant.**
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "both have run")
  @Outcome(expect = FORBIDDEN, desc = "a task stays")
  @State
  public static class LooksTooSoon {
    private final Tasks tasks = new Tasks(false);

    @Actor
    public void caller() {
      tasks.add();
    }

    @Actor
    public void thread() {
      tasks.runCalls();
    }

    @Arbiter
    public void end(I_Result r) {
      tasks.runCalls();
      r.r1 = tasks.done.get();
    }
  }
}
