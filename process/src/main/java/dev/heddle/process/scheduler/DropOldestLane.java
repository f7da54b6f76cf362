// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.internal.SpinLock;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The ordinary lane of a queue that drops its oldest message when it is full: the oldest one that
/// was not taken, whether or not the consumer has peeked at it.
final class DropOldestLane {
  /*
   * A list under a spin lock, which is held for some tens of nanoseconds. In a Treiber stack, as
   * the other lanes use, the oldest node is at the far end: a producer could cut it off only while
   * it keeps the consumer from reversing the stack.
   *
   *   first ... beforeOldest   oldest ...  any ...  last
   *   uncounted nodes          counted              counted or uncounted
   *
   * Uncounted nodes are never dropped. So the oldest counted node may be behind some of them, and a
   * producer removes it from there. The next one is always further behind.
   *
   * The consumer handles peeked nodes without the lock. It finds out by the position, directly
   * behind `skipped`, whether such a node is still there. If the node that it has skipped last is
   * dropped, `skipped` moves to the node before, which was skipped too. The same holds for
   * `walked`, where the last search for results has ended.
   *
   * Threads. push, pushInOrder: any. Everything else: the consumer. Any thread reads the numbers; a
   * producer publishes them before it wakes the consumer.
   */
  private final int bound;
  private final SpinLock lock = new SpinLock();

  // under the lock
  private @Nullable Node first;
  private @Nullable Node last;
  private @Nullable Node oldest; // of the counted nodes
  private @Nullable Node beforeOldest;
  private @Nullable Node skipped; // the last one that the consumer has peeked and skipped
  private @Nullable Node walked; // there are no results up to this one
  private boolean closed;
  private int count;

  // written under the lock, read without it: `count`; the uncounted nodes; the results among these
  private volatile int size;
  private volatile int inOrder;
  private volatile int results;

  DropOldestLane(int bound) {
    this.bound = bound;
  }

  /// Appends a message.
  ///
  /// @param displaced is called with the dropped message, if there is one; not under the lock
  /// @return false when it is closed
  boolean push(Node node, Consumer<Node> displaced) {
    Node gone = null;
    lock.lock();
    try {
      if (closed) {
        return false;
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
    return true;
  }

  /// Appends an uncounted node.
  ///
  /// @return false when it is closed
  boolean pushInOrder(Node node) {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      node.next = null;
      append(node);
      countInOrder(node, 1);
      return true;
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

  /// Takes up to `most` nodes, linked, oldest first.
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
        end.next = first; // remove() has unlinked it
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

  /// Whether it has no node. The consumer.
  boolean isEmpty() {
    return size == 0 && inOrder == 0;
  }

  /// The number of uncounted nodes.
  int inOrder() {
    return inOrder;
  }

  /// The number of results among them.
  int results() {
    return results;
  }

  /// Takes all results, linked.
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

  // ---- the consumer: peek and remove ----

  void rewind() {
    lock.lock();
    skipped = null;
    lock.unlock();
  }

  /// The first node that was not skipped since the last rewind.
  @Nullable Node peek() {
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

  /// Skips a node that [#peek] has returned, if it is still there.
  void skip(Node peeked) {
    lock.lock();
    try {
      if (behindSkipped() == peeked) {
        skipped = peeked;
      }
    } finally {
      lock.unlock();
    }
  }

  /// Removes a node that [#peek] has returned.
  ///
  /// @return false when it is gone
  boolean remove(Node peeked) {
    lock.lock();
    try {
      if (behindSkipped() != peeked) {
        return false;
      }
      remove(skipped, peeked);
      size = count;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// Refuses every later push.
  ///
  /// @return its nodes, linked, oldest first
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
