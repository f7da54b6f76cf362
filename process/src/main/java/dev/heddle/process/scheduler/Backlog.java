// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import org.jspecify.annotations.Nullable;

/// The nodes that the consumer of a queue has taken off a lane and not yet delivered, oldest first.
///
/// **Thread** the consumer.
final class Backlog {
  private @Nullable Node first;
  private @Nullable Node last;
  private @Nullable Node skipped; // the last node that was peeked and skipped
  private int messages; // counted nodes
  private int inOrder; // uncounted nodes
  private int results; // among the uncounted ones

  /// The bottom of the lane's stack since these nodes were reversed: EventQueue, I4.
  @Nullable Node bottom;

  boolean isEmpty() {
    return first == null;
  }

  @Nullable Node last() {
    return last;
  }

  /// The number of nodes that count towards the bound.
  int messages() {
    return messages;
  }

  /// The number of nodes that do not.
  int inOrder() {
    return inOrder;
  }

  /// Appends nodes.
  ///
  /// @param chain its first, or null for none
  void append(@Nullable Node chain) {
    if (chain == null) {
      return;
    }
    int counting = 0;
    int others = 0;
    int asked = 0;
    Node end = chain;
    for (Node node = chain; node != null; node = node.next) {
      if (node.counts()) {
        counting++;
      } else {
        others++;
        asked += node.isResult() ? 1 : 0;
      }
      end = node;
    }
    inOrder += others;
    results += asked;
    append(chain, end, counting);
  }

  /// Appends nodes of which `counting` count; uncounted ones were added to `inOrder` before.
  void append(@Nullable Node chain, Node end, int counting) {
    if (last == null) {
      first = chain;
    } else {
      last.next = chain;
    }
    last = end;
    messages += counting;
  }

  /// Prepends nodes.
  ///
  /// @param chain its first, or null for none
  void putBack(@Nullable Node chain) {
    Node rest = first;
    Node end = last;
    int counting = messages;
    first = null;
    last = null;
    messages = 0;
    append(chain);
    if (end != null) {
      append(rest, end, counting);
    }
  }

  /// Takes up to `most` nodes, linked.
  @Nullable Node handOut(int most) {
    Node chain = first;
    Node end = null;
    Node next = first;
    for (int room = most; room > 0 && next != null; room--) {
      uncount(next);
      end = next;
      next = next.next;
    }
    skipped = null;
    first = next;
    if (next == null) {
      last = null;
    } else if (end != null) {
      end.next = null; // a dead node in the old generation would keep its successors alive
    }
    return chain;
  }

  /// Takes all nodes, linked.
  @Nullable Node clear() {
    Node chain = first;
    first = null;
    last = null;
    skipped = null;
    messages = 0;
    inOrder = 0;
    results = 0;
    return chain;
  }

  /// Lets [#peek] begin again at the oldest node.
  void rewind() {
    skipped = null;
  }

  /// The first node that was not skipped since the last rewind.
  @Nullable Node peek() {
    return skipped == null ? first : skipped.next;
  }

  /// Skips the node that [#peek] returns.
  void skip() {
    skipped = peek();
  }

  /// Removes the node that [#peek] returns.
  void remove() {
    Node node = peek();
    if (node == null) {
      return;
    }
    remove(skipped, node);
  }

  private void remove(@Nullable Node before, Node node) {
    if (before == null) {
      first = node.next;
    } else {
      before.next = node.next;
    }
    if (last == node) {
      last = before;
    }
    if (skipped == node) {
      skipped = before;
    }
    node.next = null;
    uncount(node);
  }

  /// Takes all results, linked.
  ///
  /// @param behind a node that all of them are behind, or null
  @Nullable Node takeOutResults(@Nullable Node behind) {
    Node taken = null;
    Node end = null;
    Node before = behind;
    while (results > 0) {
      Node node = before == null ? first : before.next;
      if (node == null) {
        break;
      }
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
    return taken;
  }

  private void uncount(Node node) {
    if (node.counts()) {
      messages--;
    } else {
      inOrder--;
      results -= node.isResult() ? 1 : 0;
    }
  }
}
