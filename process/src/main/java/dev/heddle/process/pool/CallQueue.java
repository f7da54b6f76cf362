// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.pool;

import dev.heddle.process.Request;
import java.util.ArrayDeque;
import java.util.Deque;

/// The calls that wait for a member, the oldest first. One whose asker has given up does not wait.
final class CallQueue {
  private final Deque<Request> line = new ArrayDeque<>();
  private final int most;

  CallQueue(int most) {
    this.most = most;
  }

  /// Lets a call wait.
  ///
  /// @return false when there is no room
  boolean add(Request call) {
    if (line.size() >= most) { // also those in the middle, who had shorter limits, make room
      line.removeIf(waiting -> !waiting.reply().isOpen());
    }
    return line.size() < most && line.add(call);
  }

  /// A call that nobody has tried yet waits again, before all others.
  void putBack(Request call) {
    line.addFirst(call);
  }

  /// Whether nobody waits.
  boolean isEmpty() {
    while (!line.isEmpty() && !line.getFirst().reply().isOpen()) {
      line.removeFirst();
    }
    return line.isEmpty();
  }

  /// Who is next; there must be one.
  Request take() {
    return line.removeFirst();
  }

  /// How many wait, with those given up that nobody has noticed yet.
  int size() {
    return line.size();
  }
}
