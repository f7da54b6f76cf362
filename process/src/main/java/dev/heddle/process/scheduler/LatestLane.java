// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.scheduler.EventQueue.Node;
import dev.heddle.process.scheduler.EventQueue.Push;
import dev.heddle.scheduler.BriefLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The ordinary lane of a queue in which the oldest node gives way to one that comes.
final class LatestLane {
  /*
   * A list under a lock, which is held for some tens of nanoseconds. A stack, as the other lanes have it, has its oldest node at the far end,
   * where a producer could only cut it off while it keeps the consumer from turning the stack round.
   *
   * Threads. push: any. The rest: the consumer. `size` is read by anybody; a producer publishes it before it wakes the consumer.
   */
  private final int bound;
  private final BriefLock lock = new BriefLock();

  // under the lock
  private @Nullable Node oldest;
  private @Nullable Node newest;
  private boolean closed;
  private int count;

  // `count`, for those without the lock
  private volatile int size;

  LatestLane(int bound) {
    this.bound = bound;
  }

  /// Puts a node behind the others.
  ///
  /// @param displaced is given the oldest node, when that had to go; not under the lock
  Push push(Node node, Consumer<Node> displaced) {
    Node gone = null;
    lock.lock();
    try {
      if (closed) {
        return Push.CLOSED;
      }
      if (count == bound) {
        gone = takeOldest();
      }
      node.next = null;
      if (newest == null) {
        oldest = node;
      } else {
        newest.next = node;
      }
      newest = node;
      size = ++count;
    } finally {
      lock.unlock();
    }
    if (gone != null) {
      displaced.accept(gone);
    }
    return Push.ACCEPTED;
  }

  /// Takes up to `most`, linked, oldest first.
  @Nullable Node take(int most) {
    if (size == 0) {
      return null;
    }
    lock.lock();
    try {
      Node first = oldest;
      Node last = null;
      for (int left = most; left > 0 && oldest != null; left--) {
        last = oldest;
        oldest = last.next;
        count--;
      }
      if (last != null) {
        last.next = null;
      }
      if (oldest == null) {
        newest = null;
      }
      size = count;
      return first;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Node takeOldest() {
    Node node = oldest;
    if (node != null) {
      oldest = node.next;
      if (oldest == null) {
        newest = null;
      }
      node.next = null;
      size = --count;
    }
    return node;
  }

  int size() {
    return size;
  }

  /// Refuses every later push; what was in it is linked, oldest first.
  @Nullable Node close() {
    lock.lock();
    try {
      closed = true;
      Node left = oldest;
      oldest = null;
      newest = null;
      size = count = 0;
      return left;
    } finally {
      lock.unlock();
    }
  }
}
