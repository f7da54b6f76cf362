// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.scheduler.FairSemaphore;
import dev.heddle.scheduler.Scheduler;
import org.jspecify.annotations.Nullable;

/// Two lines of coroutines, one to read and one to write; whoever is at the head has the direction
/// to itself, waits included.
///
/// **Thread** the loop's.
abstract class DirectionLocks {
  /*
   * Most directions have one user, which comes, goes, and comes again with each call. A bit is
   * enough for it, and with a thousand connections under way one object less is one cache miss
   * less. The first one that has to wait makes the queue (FairSemaphore), with the place that is
   * taken; from then on the bit means nothing.
   *
   * It is a class to inherit from, not one to own, for the same reason.
   *
   * I1. Of two that enter, the one that came first is first. [ReadOrderTest]
   */
  static final int READERS = 1;
  static final int WRITERS = 2;

  private final Scheduler scheduler;
  private final int writeDirection;

  // loop only
  private int lockedBits; // the bits, as long as nobody has stood in line
  private @Nullable FairSemaphore readers;
  private @Nullable FairSemaphore writers;

  /// Lines in which nobody stands.
  ///
  /// @param duplex false: readers and writers stand in one line, because they have a position in
  ///   common
  DirectionLocks(Scheduler scheduler, boolean duplex) {
    this.scheduler = scheduler;
    this.writeDirection = duplex ? WRITERS : READERS;
  }

  /// The loop's scheduler.
  protected final Scheduler scheduler() {
    return scheduler;
  }

  /// The line of writers.
  final int writeDirection() {
    return writeDirection;
  }

  /// Goes to the head of a line in which nobody is.
  final boolean tryEnter(int line) {
    FairSemaphore fairSemaphore = permits(line);
    if (fairSemaphore != null) {
      return fairSemaphore.tryAcquire();
    }
    if ((lockedBits & line) != 0) {
      return false;
    }
    lockedBits |= line;
    return true;
  }

  /// Waits to be at the head, after [#tryEnter] has failed.
  final void awaitEnter(int line, CoroutineNode<?> self, Deadline deadline) {
    FairSemaphore fairSemaphore = permits(line);
    if (fairSemaphore == null) {
      fairSemaphore = new FairSemaphore(scheduler, 0, this); // the only one is taken
      if (line == READERS) {
        readers = fairSemaphore;
      } else {
        writers = fairSemaphore;
      }
    }
    fairSemaphore.awaitPermit(self, deadline, null);
  }

  /// Lets the next one have the direction.
  final void leave(int line) {
    FairSemaphore fairSemaphore = permits(line);
    if (fairSemaphore != null) {
      fairSemaphore.release();
    } else {
      lockedBits &= ~line;
    }
  }

  /// Whether a coroutine has the direction to itself.
  final boolean isLocked(int line) {
    FairSemaphore fairSemaphore = permits(line);
    return fairSemaphore == null ? (lockedBits & line) != 0 : fairSemaphore.free() == 0;
  }

  private @Nullable FairSemaphore permits(int line) {
    return line == READERS ? readers : writers;
  }
}
