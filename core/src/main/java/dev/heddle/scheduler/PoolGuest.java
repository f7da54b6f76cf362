// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinPool.ManagedBlocker;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// A loop whose carrier is a worker of a [ForkJoinPool]: before it sleeps for the first time it
/// tells the pool that this worker blocks, as [java.util.concurrent.CompletableFuture#join] does.
/// The pool then lets another worker run, or adds one, until the loop is over. Otherwise a loop
/// that awaits a task of its own pool could wait for ever: with one worker nobody is left to run
/// the task.
///
/// The pool hears of it once for each loop, not once for each sleep: a pool wakes or adds a worker
/// each time, which costs more than the sleep of a busy loop. A loop that never sleeps is a task
/// that computes, and the pool hears nothing.
///
/// A pool adds only so many workers (256 in the common pool, unless set otherwise) and then
/// refuses, also while it ends. The loop then sleeps on its worker without a replacement, as any
/// blocking call does.
///
/// **Thread** the carrier, with no coroutine mounted.
final class PoolGuest implements ManagedBlocker {
  private final Runnable restOfTheLoop;
  private boolean told;
  private boolean entered;

  private PoolGuest(Runnable restOfTheLoop) {
    this.restOfTheLoop = restOfTheLoop;
  }

  /// Null where the carrier belongs to no such pool.
  ///
  /// @param restOfTheLoop runs the loop to its end
  static @Nullable PoolGuest of(Thread carrier, Runnable restOfTheLoop) {
    return carrier instanceof ForkJoinWorkerThread ? new PoolGuest(restOfTheLoop) : null;
  }

  /// Called before each sleep. The first time it tells the pool and runs the rest of the loop.
  ///
  /// @return whether it did: the loop is then over; false: the caller sleeps
  boolean ranTheRest() {
    if (told) {
      return false;
    }
    told = true;
    try {
      ForkJoinPool.managedBlock(this);
    } catch (RejectedExecutionException e) {
      if (entered) {
        throw e; // the loop's own
      }
    } catch (InterruptedException _) {
      // safe: the pool ends, and has interrupted its workers: the sleep notices
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
