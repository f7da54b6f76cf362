// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinPool.ManagedBlocker;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// Compensates for a loop whose carrier is a worker of a [ForkJoinPool]: before its first sleep,
/// the loop reports to the pool that this worker blocks, as
/// [java.util.concurrent.CompletableFuture#join] does. The pool then runs another worker, or adds
/// one, until the loop has ended. Otherwise a loop that awaits a task of its own pool could wait
/// for ever: in a pool with one worker, no worker would be left to run the task.
///
/// The loop reports once, not for each sleep: the pool wakes or adds a worker each time, which
/// costs more than a short sleep. A loop that never sleeps is a task that computes, and reports
/// nothing.
///
/// A pool limits the workers that it adds (256 in the common pool by default) and then refuses; it
/// also refuses while it shuts down. The loop then sleeps on its worker without a replacement, as
/// any blocking call does.
///
/// **Thread** the carrier, with no coroutine mounted.
final class ForkJoinBlocker implements ManagedBlocker {
  private final Runnable restOfTheLoop;
  private boolean compensated;
  private boolean entered;

  private ForkJoinBlocker(Runnable restOfTheLoop) {
    this.restOfTheLoop = restOfTheLoop;
  }

  /// Null where the carrier is no worker of such a pool.
  ///
  /// @param restOfTheLoop runs the loop to its end
  static @Nullable ForkJoinBlocker of(Thread carrier, Runnable restOfTheLoop) {
    return carrier instanceof ForkJoinWorkerThread ? new ForkJoinBlocker(restOfTheLoop) : null;
  }

  /// Called before each sleep. The first call reports to the pool and runs the rest of the loop.
  ///
  /// @return true when the loop has run to its end; false: the caller sleeps
  boolean blockAndRun() {
    if (compensated) {
      return false;
    }
    compensated = true;
    try {
      ForkJoinPool.managedBlock(this);
    } catch (RejectedExecutionException e) {
      if (entered) {
        throw e; // thrown by the loop, not by the pool
      }
    } catch (InterruptedException _) {
      // safe: the pool shuts down and has interrupted its workers; the sleep notices the interrupt
    }
    return entered;
  }

  @Override
  public boolean block() {
    entered = true;
    restOfTheLoop.run();
    return true;
  }

  @Override
  public boolean isReleasable() {
    return false;
  }
}
