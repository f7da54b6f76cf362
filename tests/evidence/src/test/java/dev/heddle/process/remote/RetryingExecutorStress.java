// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.remote;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/// A task waits for a thread, while another one begins to wait, the timers try it again or the
/// runtime shuts down: each task runs once or is refused.
public class RetryingExecutorStress {
  private RetryingExecutorStress() {}

  /// An executor in which one task waits.
  private abstract static class Waits {
    final AtomicInteger settled = new AtomicInteger(); // tasks that have run or were refused

    /// A caller for whose task there is no thread.
    abstract void add();

    /// The timers, if they have to do something.
    abstract void retry();

    /// The timers, and there is no thread.
    abstract void retryInVain();

    abstract void close();
  }

  private static final class OfExecutor extends Waits {
    private static final RejectedExecutionException NO_THREAD =
        new RejectedExecutionException("no thread");

    private final AtomicBoolean isArmed = new AtomicBoolean();
    private @Nullable Runnable retry;
    private @Nullable Thread poor; // for which there is no thread; others read null or another one
    private long clock; // runs backwards: it is never time for a line of the log
    private final RetryingExecutor executor =
        new RetryingExecutor(this::makeThread, null, this::timer, () -> clock--);

    OfExecutor() {
      add();
    }

    private void makeThread(Runnable task) {
      if (poor == Thread.currentThread()) {
        throw NO_THREAD;
      }
      task.run();
    }

    private Runnable timer(Runnable action) {
      retry = action;
      return () -> isArmed.set(true);
    }

    @Override
    void add() {
      poor = Thread.currentThread();
      try {
        executor.execute(settled::incrementAndGet);
      } catch (RejectedExecutionException _) {
        settled.incrementAndGet();
      } finally {
        poor = null; // the same thread may see to the end
      }
    }

    @Override
    void retry() {
      if (retry != null && isArmed.getAndSet(false)) {
        retry.run();
      }
    }

    @Override
    void retryInVain() {
      poor = Thread.currentThread();
      retry();
    }

    @Override
    void close() {
      executor.close();
    }
  }

  /// The same with counters.
  private static class OfCounters extends Waits {
    final AtomicInteger waiting = new AtomicInteger(1);
    final AtomicBoolean isDue = new AtomicBoolean(true);
    final AtomicBoolean isArmed = new AtomicBoolean(true);
    volatile boolean isClosed;

    final boolean take() {
      int now = waiting.get();
      while (now > 0 && !waiting.compareAndSet(now, now - 1)) {
        now = waiting.get();
      }
      return now > 0;
    }

    final void takeAll() {
      while (take()) {
        settled.incrementAndGet();
      }
    }

    final void makeDue(boolean isOpen) {
      if (!isOpen) {
        if (take()) {
          settled.incrementAndGet();
        }
      } else if (isDue.compareAndSet(false, true)) {
        isArmed.set(true);
      }
    }

    @Override
    void add() {
      waiting.incrementAndGet();
      makeDue(!isClosed);
    }

    @Override
    void retry() {
      if (isArmed.getAndSet(false)) {
        isDue.set(false);
        takeAll();
      }
    }

    @Override
    void retryInVain() {
      if (isArmed.getAndSet(false)) {
        isDue.set(false);
        if (waiting.get() > 0 && isDue.compareAndSet(false, true)) {
          isArmed.set(true);
        }
      }
    }

    @Override
    void close() {
      isClosed = true;
      takeAll();
    }
  }

  private static final class OfLook extends OfCounters {
    @Override
    void retry() {
      if (isArmed.getAndSet(false)) {
        takeAll();
        isDue.set(false);
      }
    }
  }

  private static final class OfQuestion extends OfCounters {
    @Override
    void add() {
      boolean isOpen = !isClosed;
      waiting.incrementAndGet();
      makeDue(isOpen);
    }
  }

  private static final class OfTake extends OfCounters {
    @Override
    void retryInVain() {
      if (take()) {
        waiting.incrementAndGet();
      }
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "all have run, or were refused")
  @Outcome(expect = FORBIDDEN, desc = "one waits for ever, or runs twice")
  @State
  public static class RealAddsDuringRetry {
    private final Waits waits = new OfExecutor();

    @Actor
    public void caller() {
      waits.add();
    }

    @Actor
    public void timers() {
      waits.retry();
    }

    @Arbiter
    public void end(I_Result r) {
      waits.retry();
      r.r1 = waits.settled.get();
    }
  }

  /// **Model.** What [RealAddsDuringRetry] promises.
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "all have run, or were refused")
  @Outcome(expect = FORBIDDEN, desc = "one waits for ever, or runs twice")
  @State
  public static class ModelAddsDuringRetry {
    private final Waits waits = new OfCounters();

    @Actor
    public void caller() {
      waits.add();
    }

    @Actor
    public void timers() {
      waits.retry();
    }

    @Arbiter
    public void end(I_Result r) {
      waits.retry();
      r.r1 = waits.settled.get();
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "all have run, or were refused")
  @Outcome(expect = FORBIDDEN, desc = "one waits for ever, or runs twice")
  @State
  public static class RealAddsDuringClose {
    private final Waits waits = new OfExecutor();

    @Actor
    public void caller() {
      waits.add();
    }

    @Actor
    public void shutdown() {
      waits.close();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = waits.settled.get();
    }
  }

  /// **Model.** What [RealAddsDuringClose] promises.
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "all have run, or were refused")
  @Outcome(expect = FORBIDDEN, desc = "one waits for ever, or runs twice")
  @State
  public static class ModelAddsDuringClose {
    private final Waits waits = new OfCounters();

    @Actor
    public void caller() {
      waits.add();
    }

    @Actor
    public void shutdown() {
      waits.close();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = waits.settled.get();
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "all have run, or were refused")
  @Outcome(expect = FORBIDDEN, desc = "one waits for ever, or runs twice")
  @State
  public static class RealRetriesDuringClose {
    private final Waits waits = new OfExecutor();

    @Actor
    public void timers() {
      waits.retryInVain();
    }

    @Actor
    public void shutdown() {
      waits.close();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = waits.settled.get();
    }
  }

  /// **Model.** What [RealRetriesDuringClose] promises.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "all have run, or were refused")
  @Outcome(expect = FORBIDDEN, desc = "one waits for ever, or runs twice")
  @State
  public static class ModelRetriesDuringClose {
    private final Waits waits = new OfCounters();

    @Actor
    public void timers() {
      waits.retryInVain();
    }

    @Actor
    public void shutdown() {
      waits.close();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = waits.settled.get();
    }
  }

  /// **Mutant.** A retry looks before it says that none is due.
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "all have run, or were refused")
  @Outcome(expect = FORBIDDEN, desc = "one waits for ever")
  @State
  public static class LooksTooSoon {
    private final Waits waits = new OfLook();

    @Actor
    public void caller() {
      waits.add();
    }

    @Actor
    public void timers() {
      waits.retry();
    }

    @Arbiter
    public void end(I_Result r) {
      waits.retry();
      r.r1 = waits.settled.get();
    }
  }

  /// **Mutant.** A caller asks whether the runtime has shut down before its task waits.
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "all have run, or were refused")
  @Outcome(expect = FORBIDDEN, desc = "one waits for ever")
  @State
  public static class AsksTooSoon {
    private final Waits waits = new OfQuestion();

    @Actor
    public void caller() {
      waits.add();
    }

    @Actor
    public void shutdown() {
      waits.close();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = waits.settled.get();
    }
  }

  /// **Mutant.** A retry takes a task out of the queue before it has a thread.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "all have run, or were refused")
  @Outcome(expect = FORBIDDEN, desc = "one waits for ever")
  @State
  public static class TakesTooSoon {
    private final Waits waits = new OfTake();

    @Actor
    public void timers() {
      waits.retryInVain();
    }

    @Actor
    public void shutdown() {
      waits.close();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = waits.settled.get();
    }
  }
}
