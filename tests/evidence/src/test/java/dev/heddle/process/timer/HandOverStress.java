// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.timer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/// A timer is armed, moved or disarmed while the thread of the timers is about to sleep, or looks
/// at it: the thread sleeps beyond no deadline, and what is disarmed does not stay in the wheel.
public class HandOverStress {
  private static final long SECOND = 1_000_000_000;

  private HandOverStress() {}

  private static final class Plain extends Timer {
    @Override
    protected void fire() {}
  }

  /// Timers without a thread: one actor does what the thread does until it sleeps.
  private static class Base {
    long clock;
    final Timers timers = new Timers("stress", () -> clock);
    final Timer timer = new Plain();
    private boolean sleeps;

    final void untilItSleeps() {
      sleeps = timers.runOnce() > 0;
    }

    /// Whether the thread does something, or will wake by itself in time.
    final boolean isAwakeBy(long deadline) {
      long until = timers.sleepsUntil;
      return !sleeps || until == Long.MIN_VALUE || until <= deadline;
    }
  }

  /// **Model.** Arming and falling asleep under one lock.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "the thread wakes in time")
  @Outcome(expect = FORBIDDEN, desc = "the thread sleeps beyond a deadline")
  @State
  public static class Model {
    private boolean handed;
    private boolean woken;
    private boolean sleeps;

    @Actor
    public synchronized void armer() {
      handed = true;
      woken = sleeps;
    }

    @Actor
    public synchronized void thread() {
      sleeps = !handed;
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = !sleeps || woken;
    }
  }

  /// **Real class**, a timer that is new.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "the thread wakes in time")
  @Outcome(expect = FORBIDDEN, desc = "the thread sleeps beyond a deadline")
  @State
  public static class RealArmed extends Base {
    @Actor
    public void armer() {
      timers.arm(timer, 5 * SECOND);
    }

    @Actor
    public void thread() {
      untilItSleeps();
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = isAwakeBy(6 * SECOND);
    }
  }

  /// **Real class**, a timer in the wheel, or on its way there, that is armed for an earlier time.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "the thread wakes in time")
  @Outcome(expect = FORBIDDEN, desc = "the thread sleeps beyond a deadline")
  @State
  public static class RealArmedEarlier extends Base {
    public RealArmedEarlier() {
      timers.arm(timer, 900 * SECOND);
    }

    @Actor
    public void armer() {
      timers.arm(timer, 5 * SECOND);
    }

    @Actor
    public void thread() {
      untilItSleeps();
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = isAwakeBy(6 * SECOND);
    }
  }

  /// **Real class**, a timer whose deadline moves on while the wheel reaches its place.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "it fires at its last deadline")
  @Outcome(expect = FORBIDDEN, desc = "it is lost")
  @State
  public static class RealMovedOn extends Base {
    public RealMovedOn() {
      timers.arm(timer, SECOND);
      untilItSleeps();
      clock = 2 * SECOND;
    }

    @Actor
    public void armer() {
      timers.arm(timer, 5 * SECOND);
    }

    @Actor
    public void thread() {
      untilItSleeps();
    }

    @Arbiter
    public void end(Z_Result r) {
      boolean awake = isAwakeBy(6 * SECOND);
      clock = 6 * SECOND;
      untilItSleeps();
      r.r1 = awake && !timer.isArmed() && timers.wheel.size() == 0;
    }
  }

  /// **Real class**, a timer that is disarmed while the thread puts it into the wheel.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "it is in no wheel")
  @Outcome(expect = FORBIDDEN, desc = "it stays until its time")
  @State
  public static class RealDisarmed extends Base {
    public RealDisarmed() {
      timers.arm(timer, 900 * SECOND);
    }

    @Actor
    public void owner() {
      timers.disarm(timer);
    }

    @Actor
    public void thread() {
      untilItSleeps();
    }

    @Arbiter
    public void end(Z_Result r) {
      untilItSleeps();
      r.r1 = timers.wheel.size() == 0 && timers.submittedCount() == 0;
    }
  }

  /// **Real class**, a sweep beside the thread. Each keeps what is armed.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "the thread wakes in time")
  @Outcome(expect = FORBIDDEN, desc = "the thread sleeps beyond a deadline")
  @State
  public static class RealSwept extends Base {
    public RealSwept() {
      timers.arm(timer, 5 * SECOND);
    }

    @Actor
    public void other() {
      timers.sweep();
    }

    @Actor
    public void thread() {
      untilItSleeps();
    }

    @Arbiter
    public void end(Z_Result r) {
      boolean awake = isAwakeBy(6 * SECOND);
      untilItSleeps();
      r.r1 = awake && timers.wheel.size() == 1;
    }
  }

  /// **Mutant**: the thread sleeps without another look at what was handed over.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "the thread wakes in time")
  @Outcome(expect = FORBIDDEN, desc = "the thread sleeps beyond a deadline")
  @State
  public static class SleepsAtOnce {
    private volatile boolean handed;
    private volatile boolean sleeps;
    private boolean woken;

    @Actor
    public void armer() {
      handed = true;
      woken = sleeps;
    }

    @Actor
    public void thread() {
      if (!handed) {
        sleeps = true;
      }
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = !sleeps || woken;
    }
  }

  /// **Mutant**: the thread puts a timer into the wheel without another look at its deadline.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "it leaves the wheel")
  @Outcome(expect = FORBIDDEN, desc = "it stays until its time")
  @State
  public static class SettlesAtOnce {
    private final Timer timer = new Plain();
    private boolean leaves;

    public SettlesAtOnce() {
      timer.deadline(SECOND);
    }

    @Actor
    public void owner() {
      timer.casDeadline(SECOND, Timer.DISARMED);
      leaves = timer.place() == Timer.WHEEL;
    }

    @Actor
    public void thread() {
      if (timer.isArmed()) {
        timer.enters(Timer.WHEEL);
      }
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = timer.place() == 0 || leaves;
    }
  }
}
