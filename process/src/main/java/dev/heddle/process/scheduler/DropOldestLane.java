// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.internal.SpinLock;
import dev.heddle.process.scheduler.EventQueue.Node;
import dev.heddle.process.scheduler.EventQueue.Push;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The ordinary lane of a queue in which the oldest node gives way to one that comes: the oldest
/// that was not taken, whether the consumer has looked at it or not.
final class DropOldestLane {
  /*
   * A list under a lock, which is held for some tens of nanoseconds. A stack, as the other lanes
   * have it, has its oldest node at the far end, where a producer could only cut it off while it
   * keeps the consumer from turning the stack round.
   *
   *   first ... beforeOldest   oldest ...  any ...  last
   *   what stands in order     counts               counts, or stands in order
   *
   * What stands in order never gives way. So the oldest that counts is behind some of those, and a
   * producer takes it out from there: what it looks for next lies further behind each time.
   *
   * The consumer looks at nodes without the lock in hand, and asks by its place, behind `skipped`,
   * whether one is still there. Where the one that it has left last gives way, `skipped` is the one
   * before that: it was left too. So it is with `walked`, where the last look for results has
   * ended.
   *
   * Threads. push, pushInOrder: any. The rest: the consumer. The numbers are read by anybody; a
   * producer publishes them before it wakes the consumer.
   */
  private final int bound;
  private final SpinLock lock = new SpinLock();

  // under the lock
  private @Nullable Node first;
  private @Nullable Node last;
  private @Nullable Node oldest; // of those that count
  private @Nullable Node beforeOldest;
  private @Nullable Node skipped; // the last one that the consumer has looked at and left
  private @Nullable Node walked; // up to which there are no results
  private boolean closed;
  private int count;

  // written under the lock, read without it: `count`, and how many do not count, and of those the
  // results
  private volatile int size;
  private volatile int inOrder;
  private volatile int results;

  DropOldestLane(int bound) {
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
        gone = oldest;
        remove(beforeOldest, gone);
      }
      node.depth = 1; // it counts
      node.next = null;
      append(node);
      size = ++count;
    } finally {
      lock.unlock();
    }
    if (gone != null) {
      displaced.accept(gone);
    }
    return Push.ACCEPTED;
  }

  /// Puts a node that does not count behind the others.
  Push pushInOrder(Node node) {
    lock.lock();
    try {
      if (closed) {
        return Push.CLOSED;
      }
      node.next = null;
      append(node);
      countInOrder(node, 1);
      return Push.ACCEPTED;
    } finally {
      lock.unlock();
    }
  }

  private void append(Node node) {
    if (node.counts() && oldest == null) {
      oldest = node;
      beforeOldest = last;
    }
    if (last == null) {
      first = node;
    } else {
      last.next = node;
    }
    last = node;
  }

  /// Takes up to `most`, linked, oldest first.
  @Nullable Node take(int most) {
    if (isEmpty()) {
      return null;
    }
    lock.lock();
    try {
      Node chain = first;
      skipped = null;
      Node end = null;
      for (int room = most; room > 0 && first != null; room--) {
        end = first;
        remove(null, end);
        end.next = first; // linked all the same
      }
      if (end != null) {
        end.next = null;
      }
      size = count;
      return chain;
    } finally {
      lock.unlock();
    }
  }

  /// Under the lock.
  private void remove(@Nullable Node before, @Nullable Node node) {
    if (node == null) {
      return;
    }
    Node next = node.next;
    if (before == null) {
      first = next;
    } else {
      before.next = next;
    }
    if (last == node) {
      last = before;
    }
    if (skipped == node) {
      skipped = before;
    }
    if (walked == node) {
      walked = before;
    }
    if (node == oldest) {
      oldest = next;
      while (oldest != null && !oldest.counts()) {
        before = oldest;
        oldest = oldest.next;
      }
      beforeOldest = before;
    } else if (node == beforeOldest) {
      beforeOldest = before;
    }
    if (node.counts()) {
      count--;
    } else {
      countInOrder(node, -1);
    }
    node.next = null;
  }

  private void countInOrder(Node node, int by) {
    int all = inOrder + by;
    int asked = results + (node.isResult() ? by : 0);
    inOrder = all;
    results = asked;
  }

  int size() {
    return size;
  }

  /// Whether there is nothing. The consumer.
  boolean isEmpty() {
    return size == 0 && inOrder == 0;
  }

  /// How many there are that do not count.
  int inOrder() {
    return inOrder;
  }

  /// How many of these are results.
  int results() {
    return results;
  }

  /// Takes out the results, linked.
  @Nullable Node takeResults() {
    if (results == 0) {
      return null;
    }
    lock.lock();
    try {
      Node taken = null;
      Node end = null;
      Node before = walked;
      while (results > 0) {
        Node node = Objects.requireNonNull(before == null ? first : before.next);
        if (!node.isResult()) {
          before = node;
          continue;
        }
        remove(before, node);
        if (end == null) {
          taken = node;
        } else {
          end.next = node;
        }
        end = node;
      }
      walked = before;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  // ---- the consumer, which looks at one after the other ----

  void rewind() {
    lock.lock();
    skipped = null;
    lock.unlock();
  }

  /// The first that was not left since the last rewind.
  @Nullable Node look() {
    if (isEmpty()) {
      return null;
    }
    lock.lock();
    try {
      return behindSkipped();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Node behindSkipped() {
    return skipped == null ? first : skipped.next;
  }

  /// Leaves what a look has returned, if it is still there.
  void skip(Node looked) {
    lock.lock();
    try {
      if (behindSkipped() == looked) {
        skipped = looked;
      }
    } finally {
      lock.unlock();
    }
  }

  /// Takes out what a look has returned.
  ///
  /// @return false when it is gone
  boolean remove(Node looked) {
    lock.lock();
    try {
      if (behindSkipped() != looked) {
        return false;
      }
      remove(skipped, looked);
      size = count;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// Refuses every later push; what was in it is linked, oldest first.
  @Nullable Node close() {
    lock.lock();
    try {
      closed = true;
      Node all = first;
      first = null;
      last = null;
      oldest = null;
      beforeOldest = null;
      skipped = null;
      walked = null;
      size = count = 0;
      inOrder = 0;
      results = 0;
      return all;
    } finally {
      lock.unlock();
    }
  }
}
