// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.scheduler.FairSemaphore;
import dev.heddle.scheduler.Scheduler;
import org.jspecify.annotations.Nullable;

/// Two fair locks of a handle, one for reading and one for writing. A coroutine holds a direction
/// for its whole operation, waits included.
///
/// **Thread** the loop's.
abstract class DirectionLocks {
  /*
   * Most directions have one user, which locks and unlocks with each call. A bit is enough for it,
   * and with a thousand connections one object less is one cache miss less. The first coroutine
   * that has to wait creates the queue (FairSemaphore) with its permit taken; from then on the bit
   * is not used.
   *
   * Handles inherit from this class instead of owning an instance for the same reason.
   *
   * I1. Coroutines enter in the order of their calls. [ReadOrderTest]
   */
  static final int READERS = 1;
  static final int WRITERS = 2;

  private final Scheduler scheduler;
  private final int writeDirection;

  // loop only
  private int lockedBits; // used until the first coroutine has to wait
  private @Nullable FairSemaphore readers;
  private @Nullable FairSemaphore writers;

  /// @param duplex false: readers and writers share one lock, because they share a position
  DirectionLocks(Scheduler scheduler, boolean duplex) {
    this.scheduler = scheduler;
    this.writeDirection = duplex ? WRITERS : READERS;
  }

  protected final Scheduler scheduler() {
    return scheduler;
  }

  /// The lock of writers.
  final int writeDirection() {
    return writeDirection;
  }

  /// Takes a lock that is free and has no waiters.
  final boolean tryEnter(int direction) {
    FairSemaphore fairSemaphore = permits(direction);
    if (fairSemaphore != null) {
      return fairSemaphore.tryAcquire();
    }
    if ((lockedBits & direction) != 0) {
      return false;
    }
    lockedBits |= direction;
    return true;
  }

  /// Waits for a lock, after [#tryEnter] has failed.
  final void awaitEnter(int direction, CoroutineNode<?> self, Deadline deadline) {
    FairSemaphore fairSemaphore = permits(direction);
    if (fairSemaphore == null) {
      fairSemaphore = new FairSemaphore(scheduler, 0, this); // its only permit is taken
      if (direction == READERS) {
        readers = fairSemaphore;
      } else {
        writers = fairSemaphore;
      }
    }
    fairSemaphore.awaitPermit(self, deadline, null);
  }

  /// Releases a lock to the next waiter.
  final void leave(int direction) {
    FairSemaphore fairSemaphore = permits(direction);
    if (fairSemaphore != null) {
      fairSemaphore.release();
    } else {
      lockedBits &= ~direction;
    }
  }

  /// Whether a coroutine holds the lock.
  final boolean isLocked(int direction) {
    FairSemaphore fairSemaphore = permits(direction);
    return fairSemaphore == null ? (lockedBits & direction) != 0 : fairSemaphore.free() == 0;
  }

  private @Nullable FairSemaphore permits(int direction) {
    return direction == READERS ? readers : writers;
  }
}
