// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import dev.heddle.internal.DaemonThread;
import dev.heddle.scheduler.context.TimedWaits.Timer;
import dev.heddle.scheduler.context.TimedWaits.Timers;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Tries whether the JDK uses the timers of waits as [TimedWaits] expects: a virtual thread parks,
/// or waits in a monitor, with the current thread as its carrier, and its timer ends that.
///
/// The limit of the wait is short because some JVMs cannot take the thread off its carrier, one
/// with `-XX:LockingMode=1` for example. The carrier itself waits there until the limit is over,
/// and no timer has been asked for. Elsewhere the length has no effect: no clock ends the wait.
///
/// Another thread that reads all stacks of the JVM at this moment, as a thread dump does, keeps the
/// thread from its end. So there are several attempts.
final class TimedWaitTrial implements Timers {
  private static final long LIMIT = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int ATTEMPTS = 5; // one for each of a few dumps that meet one start

  // a reader of the stack adds to it, too
  private final Queue<Runnable> turns = new ConcurrentLinkedQueue<>();
  private @Nullable Runnable expired;
  private long limit;
  private int armed;
  private int cancelled;

  private TimedWaitTrial() {}

  /// @throws IllegalStateException when the JDK does it otherwise, with what was different
  static void run() {
    if (!Thread.currentThread().isVirtual()) {
      runHere();
      return;
    }
    // heddle doctor may be asked for in a virtual thread; only a platform thread is a carrier
    Throwable[] failure = new Throwable[1];
    Thread carrier =
        DaemonThread.start(
            "heddle-timers-trial",
            () -> {
              try {
                runHere();
              } catch (RuntimeException | Error e) {
                failure[0] = e;
              }
            });
    boolean interrupted = false;
    while (carrier.isAlive()) {
      try {
        carrier.join();
      } catch (InterruptedException _) {
        interrupted = true; // it ends at once
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (failure[0] != null) {
      throw new IllegalStateException(failure[0].getMessage(), failure[0]);
    }
  }

  private static void runHere() {
    boolean interrupted = Thread.interrupted(); // the JDK clears the flag when a thread leaves
    try {
      attempt(() -> LockSupport.parkNanos(LIMIT));
      attempt(TimedWaitTrial::waitInAMonitor);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @SuppressWarnings("WaitNotInLoop") // one wait is the subject
  private static void waitInAMonitor() {
    Object monitor = new Object();
    synchronized (monitor) {
      try {
        monitor.wait(TimeUnit.NANOSECONDS.toMillis(LIMIT));
      } catch (InterruptedException e) {
        throw new IllegalStateException("nobody has interrupted it", e);
      }
    }
  }

  private static void attempt(Runnable wait) {
    for (int left = ATTEMPTS - 1; ; left--) {
      try {
        new TimedWaitTrial().waitAndExpire(wait);
        return;
      } catch (IllegalStateException e) {
        if (left == 0) {
          throw e;
        }
      }
    }
  }

  private void waitAndExpire(Runnable wait) {
    Thread sleeper = VirtualThreads.create(turns::add, wait);
    Timers before = TimedWaits.serve(this);
    try {
      sleeper.start();
      next("was not started by its scheduler");
      Runnable end = expired;
      if (armed != 1 || limit != LIMIT || end == null) {
        throw otherwise("asked for " + armed + " timers, the last of " + limit + " ns");
      }
      end.run();
      next("was not resumed by its timer");
    } finally {
      TimedWaits.restore(before);
    }
    if (cancelled != 1 || sleeper.getState() != Thread.State.TERMINATED) {
      throw otherwise("cancelled its timer " + cancelled + " times, and is " + sleeper.getState());
    }
  }

  private void next(String otherwise) {
    Runnable turn = turns.poll();
    if (turn == null) {
      throw otherwise(otherwise);
    }
    turn.run();
  }

  private static IllegalStateException otherwise(String what) {
    return new IllegalStateException("a thread that waits " + what);
  }

  @Override
  public Timer arm(Runnable end, long nanos) {
    expired = end;
    limit = nanos;
    armed++;
    return new Timer() {
      @Override
      public boolean cancel(boolean mayInterrupt) {
        cancelled++;
        return true;
      }

      @Override
      public boolean isDone() {
        return cancelled > 0;
      }

      @Override
      public long getDelay(TimeUnit unit) {
        return unit.convert(LIMIT, TimeUnit.NANOSECONDS);
      }
    };
  }
}
