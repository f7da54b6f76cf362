// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.pool;

import dev.heddle.process.Request;
import java.util.ArrayDeque;
import java.util.Deque;

/// The calls that wait for a member, oldest first. A call whose asker has given up does not count.
final class CallQueue {
  private final Deque<Request> calls = new ArrayDeque<>();
  private final int most;

  CallQueue(int most) {
    this.most = most;
  }

  /// Adds a call.
  ///
  /// @return false when the queue is full
  boolean add(Request call) {
    if (calls.size() >= most) { // also those in the middle, whose limits were shorter
      calls.removeIf(waiting -> !waiting.reply().isOpen());
    }
    return calls.size() < most && calls.add(call);
  }

  /// Adds a call before all others: a member ended before it took the call.
  void putBack(Request call) {
    calls.addFirst(call);
  }

  boolean isEmpty() {
    while (!calls.isEmpty() && !calls.getFirst().reply().isOpen()) {
      calls.removeFirst();
    }
    return calls.isEmpty();
  }

  /// Removes the next call; there must be one.
  Request take() {
    return calls.removeFirst();
  }

  /// How many calls wait, including those given up and not removed yet.
  int size() {
    return calls.size();
  }
}
