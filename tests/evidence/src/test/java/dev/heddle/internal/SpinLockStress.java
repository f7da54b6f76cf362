// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/// Two count under a lock: each sees what the other has counted before.
public class SpinLockStress {
  private SpinLockStress() {}

  /// **Model.** What the lock promises, with a monitor.
  @JCStressTest
  @Outcome(
      id = {"1, 2", "2, 1"},
      expect = ACCEPTABLE,
      desc = "one after the other")
  @Outcome(expect = FORBIDDEN, desc = "both at once, or the first is not seen")
  @State
  public static class Model {
    private int count;

    @Actor
    public synchronized void one(II_Result r) {
      r.r1 = ++count;
    }

    @Actor
    public synchronized void other(II_Result r) {
      r.r2 = ++count;
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(
      id = {"1, 2", "2, 1"},
      expect = ACCEPTABLE,
      desc = "one after the other")
  @Outcome(expect = FORBIDDEN, desc = "both at once, or the first is not seen")
  @State
  public static class Real {
    private final SpinLock lock = new SpinLock();
    private int count;

    private int next() {
      lock.lock();
      int next = ++count;
      lock.unlock();
      return next;
    }

    @Actor
    public void one(II_Result r) {
      r.r1 = next();
    }

    @Actor
    public void other(II_Result r) {
      r.r2 = next();
    }
  }

  /// **Real class.** One waits for it, the other only tries.
  @JCStressTest
  @Outcome(
      id = {"1, 2, 2", "2, 1, 2"},
      expect = ACCEPTABLE,
      desc = "one after the other")
  @Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "the one that tried was refused")
  @Outcome(expect = FORBIDDEN, desc = "both at once, or a refusal of a lock that was free")
  @State
  public static class RealTries {
    private final SpinLock lock = new SpinLock();
    private int count;

    @Actor
    public void waits(III_Result r) {
      lock.lock();
      r.r1 = ++count;
      lock.unlock();
    }

    @Actor
    public void tries(III_Result r) {
      if (lock.tryLock()) {
        r.r2 = ++count;
        lock.unlock();
      }
    }

    @Arbiter
    public void end(III_Result r) {
      r.r3 = count;
    }
  }

  /// **Mutant.** Whoever sees it free takes it by a store.
  @JCStressTest
  @Outcome(
      id = {"1, 2", "2, 1"},
      expect = ACCEPTABLE,
      desc = "one after the other")
  @Outcome(expect = FORBIDDEN, desc = "both at once, or the first is not seen")
  @State
  public static class TakesByStore {
    private volatile boolean held;
    private int count;

    private int next() {
      while (held) {
        Thread.onSpinWait();
      }
      held = true;
      int next = ++count;
      held = false;
      return next;
    }

    @Actor
    public void one(II_Result r) {
      r.r1 = next();
    }

    @Actor
    public void other(II_Result r) {
      r.r2 = next();
    }
  }
}
