// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.scheduler.Permits;
import dev.heddle.scheduler.Scheduler;
import org.jspecify.annotations.Nullable;

/// Two lines of coroutines, one to read and one to write; whoever is at the head has the direction
/// to itself, waits included.
///
/// **Thread** the loop's.
abstract class Lines {
  /*
   * Most directions have one user, which comes, goes, and comes again with each call. A bit is
   * enough for it, and with a thousand connections under way one object less is one cache miss
   * less. The first one that has to wait makes the queue (Permits), with the place that is taken;
   * from then on the bit means nothing.
   *
   * It is a class to inherit from, not one to own, for the same reason.
   *
   * I1. Of two that enter, the one that came first is first. [ReadOrderTest]
   */
  static final int READERS = 1;
  static final int WRITERS = 2;

  private final Scheduler scheduler;
  private final int forWriters;

  // loop only
  private int taken; // the bits, as long as nobody has stood in line
  private @Nullable Permits readers;
  private @Nullable Permits writers;

  /// Lines in which nobody stands.
  ///
  /// @param duplex false: readers and writers stand in one line, because they have a position in
  ///   common
  Lines(Scheduler scheduler, boolean duplex) {
    this.scheduler = scheduler;
    this.forWriters = duplex ? WRITERS : READERS;
  }

  /// The loop's scheduler.
  protected final Scheduler scheduler() {
    return scheduler;
  }

  /// The line of writers.
  final int forWriters() {
    return forWriters;
  }

  /// Goes to the head of a line in which nobody is.
  final boolean tryEnter(int line) {
    Permits permits = permits(line);
    if (permits != null) {
      return permits.tryTake();
    }
    if ((taken & line) != 0) {
      return false;
    }
    taken |= line;
    return true;
  }

  /// Waits to be at the head, after [#tryEnter] has failed.
  final void awaitTurn(int line, CoroutineNode<?> self, Deadline deadline) {
    Permits permits = permits(line);
    if (permits == null) {
      permits = new Permits(scheduler, 0, this); // the only one is taken
      if (line == READERS) {
        readers = permits;
      } else {
        writers = permits;
      }
    }
    permits.await(self, deadline, null);
  }

  /// Lets the next one have the direction.
  final void leave(int line) {
    Permits permits = permits(line);
    if (permits != null) {
      permits.giveBack();
    } else {
      taken &= ~line;
    }
  }

  /// Whether a coroutine has the direction to itself.
  final boolean isTaken(int line) {
    Permits permits = permits(line);
    return permits == null ? (taken & line) != 0 : permits.free() == 0;
  }

  private @Nullable Permits permits(int line) {
    return line == READERS ? readers : writers;
  }
}
