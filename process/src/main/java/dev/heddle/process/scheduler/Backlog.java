// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.scheduler.EventQueue.Node;
import org.jspecify.annotations.Nullable;

/// What the consumer of a queue has taken off a lane and has not handed out: a list, oldest first.
///
/// **Thread** the consumer's.
final class Backlog {
  private @Nullable Node first;
  private @Nullable Node last;
  private @Nullable Node skipped; // the last one that was looked at and left; null before the first
  private int messages; // those that count
  private int inOrder; // the others
  private int results; // among those

  /// What the stack of the lane stands on since these were turned round.
  @Nullable Node bottom;

  boolean isEmpty() {
    return first == null;
  }

  @Nullable Node last() {
    return last;
  }

  /// How many there are that count to the bound.
  int messages() {
    return messages;
  }

  /// How many there are that do not.
  int inOrder() {
    return inOrder;
  }

  /// Puts nodes behind the others.
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

  /// The same, of nodes that all count, or were counted.
  void append(@Nullable Node chain, Node end, int counting) {
    if (last == null) {
      first = chain;
    } else {
      last.next = chain;
    }
    last = end;
    messages += counting;
  }

  /// Puts nodes before the others.
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

  /// Takes out up to `most`, linked.
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
      end.next =
          null; // else a dead node that has grown old would keep all behind it from dying young
    }
    return chain;
  }

  /// Takes out all, linked.
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

  /// Looks begin at the oldest.
  void rewind() {
    skipped = null;
  }

  /// The first that was not left since the last rewind.
  @Nullable Node look() {
    return skipped == null ? first : skipped.next;
  }

  /// Leaves what a look returns.
  void skip() {
    skipped = look();
  }

  /// Takes out what a look returns.
  void remove() {
    Node node = look();
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

  /// Takes out the results, linked.
  ///
  /// @param behind which all of them stand, or null for none
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
