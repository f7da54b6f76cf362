// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.FutureTask;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// A task begins while its future is cancelled: its body does not begin, or the canceller finds its
/// runner.
///
/// A body ends only when the canceller has looked for the runner. Otherwise it may end in between,
/// and then there is nothing to interrupt.
public class RunnerFutureStress {
  private static final String SELF = "the runner";

  private RunnerFutureStress() {}

  /// **Model.** A lock.
  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "cancelled before it began")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the runner was there, and found it cancelled")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "it began, and the runner is interrupted")
  @Outcome(expect = FORBIDDEN, desc = "it began, and nothing interrupts the runner")
  @State
  public static class Model {
    private boolean cancelled;
    private boolean runs;

    @Actor
    public synchronized void runner(II_Result r) {
      runs = true;
      r.r1 = cancelled ? 0 : 1;
    }

    @Actor
    public synchronized void canceller(II_Result r) {
      cancelled = true;
      r.r2 = runs ? 1 : 0;
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "cancelled before it began")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the runner was there, and found it cancelled")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "it began, and the runner is interrupted")
  @Outcome(expect = FORBIDDEN, desc = "it began, and nothing interrupts the runner")
  @State
  public static class RealRunner {
    private volatile boolean looked;
    private boolean began;
    private boolean interrupted;

    private final RunnerFuture<Integer, String> future =
        new RunnerFuture<>(this::body) {
          @Override
          void interrupt(String runner) {
            interrupted = true;
          }
        };

    private int body() {
      began = true;
      while (!looked) {
        Thread.onSpinWait();
      }
      return 1;
    }

    @Actor
    public void runner(II_Result r) {
      future.runAs(SELF);
      r.r1 = began ? 1 : 0;
    }

    @Actor
    public void canceller(II_Result r) {
      future.cancel(true);
      looked = true;
      r.r2 = interrupted ? 1 : 0;
    }
  }

  /// **Mutant.** The canceller looks for the runner, and cancels the future then.
  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "cancelled before it began")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the runner was there, and found it cancelled")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "it began, and the runner is interrupted")
  @Outcome(expect = FORBIDDEN, desc = "it began, and nothing interrupts the runner")
  @State
  public static class ReadsTheRunnerFirst {
    private volatile String runner;
    private volatile boolean looked;
    private boolean began;
    private final FutureTask<Integer> future = new FutureTask<>(this::body);

    private int body() {
      began = true;
      while (!looked) {
        Thread.onSpinWait();
      }
      return 1;
    }

    @Actor
    public void runner(II_Result r) {
      runner = SELF;
      future.run();
      r.r1 = began ? 1 : 0;
    }

    @Actor
    public void canceller(II_Result r) {
      String found = runner;
      boolean cancelled = future.cancel(false);
      looked = true;
      r.r2 = cancelled && found != null ? 1 : 0;
    }
  }
}
