// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.time;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// The JVM's time, for one loop: the simulated world is as slow as it says, and a sleep takes as
/// long as it takes.
///
/// **Thread** the loop's.
public final class RealTurns implements Turns {
  private final Agenda agenda = new Agenda();
  private boolean joined;

  /// A world in which nothing is scheduled.
  public RealTurns() {}

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void schedule(long atNanos, Runnable action) {
    agenda.add(atNanos, action);
  }

  /// Lets the loop join whose carrier is the current thread.
  ///
  /// @throws IllegalStateException when there is one already
  public Turn join() {
    if (joined) {
      throw new IllegalStateException(
          "a world in real time has one loop; several share virtual time");
    }
    joined = true;
    return new OnlyTurn(Thread.currentThread());
  }

  private final class OnlyTurn implements Turn {
    private final Thread carrier;

    // the loop's thread
    private BooleanSupplier hasWork = () -> false;
    private Object driver = this;

    // any thread sets it, the carrier takes it
    private volatile boolean woken;

    OnlyTurn(Thread carrier) {
      this.carrier = carrier;
    }

    @Override
    public void serve(Object sleeper, BooleanSupplier toDeliver) {
      driver = sleeper;
      hasWork = toDeliver;
    }

    @Override
    public void sleep(long deadlineNanos) {
      agenda.runDue(nanoTime());
      while (!woken && !hasWork.getAsBoolean() && deadlineNanos != NO_WAIT) {
        long until = Math.min(deadlineNanos, agenda.next());
        long left = until - nanoTime();
        if (until == NO_DEADLINE) {
          LockSupport.park(driver);
        } else if (left > 0) {
          LockSupport.parkNanos(driver, left);
        }
        long now = nanoTime();
        agenda.runDue(now);
        if (now >= deadlineNanos || Thread.currentThread().isInterrupted()) {
          break; // an interrupt is the scheduler's business, which asks for it after a sleep
        }
      }
      woken = false;
    }

    @Override
    public void wakeup() {
      woken = true;
      LockSupport.unpark(carrier);
    }
  }
}
