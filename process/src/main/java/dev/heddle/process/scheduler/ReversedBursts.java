// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.scheduler.EventQueue.Node;
import org.jspecify.annotations.Nullable;

/// What the consumer of an unbounded queue has taken off its lane and not yet delivered: first the
/// bursts that it has begun to read and that may get more items, then nodes, among them bursts.
///
/// **Thread** the consumer.
final class ReversedBursts {
  /*
   * Kept bursts come first: everything behind them was pushed later. The consumer empties the lane
   * before it reads the kept bursts. So if an item was added before a node was pushed, and the node
   * was taken off the lane, the item is read before that node.
   *
   * An uncounted node is in `nodes`. Its producer has ended its burst before pushing the node: that
   * burst is in front of the node, or kept, and all its items are seen. What the producer sends
   * later is behind the node.
   */

  /// Neither delivered nor kept.
  final Backlog nodes = new Backlog();

  // oldest first
  private @Nullable Burst keptFirst;
  private @Nullable Node first; // of the nodes being picked
  private @Nullable Burst keptLast;

  // the change of the count of items in bursts, except one for each burst
  private int unsettled;

  /// Whether [#pick] would find a node.
  boolean hasMore() {
    if (!nodes.isEmpty()) {
      return true;
    }
    for (Burst burst = keptFirst; burst != null; burst = burst.nextKept) {
      if (burst.hasMore()) {
        return true;
      }
    }
    return false;
  }

  /// Takes up to `most` nodes, oldest first. Each item of a burst counts as one.
  @Nullable Node pick(int most) {
    nodes.rewind();
    try {
      pickAll(most);
    } catch (OutOfMemoryError e) { // a burst allocates the nodes that it delivers
      nodes.putBack(first); // for close(): the process ends
      first = null;
      throw e;
    }
    Node all = first;
    first = null;
    return all;
  }

  private void pickAll(int most) {
    Node last = null;
    int picked = 0;
    Burst before = null;
    Burst burst = keptFirst;
    while (picked < most) {
      Node node;
      if (burst != null) {
        boolean over = burst.isOver(); // read before next()
        int taken = burst.taken();
        node = burst.next(most - picked);
        if (node == null) {
          before = over ? drop(before, burst) : burst;
          burst = burst.nextKept;
          continue;
        }
        int items = burst.taken() - taken;
        picked += items;
        unsettled -= items;
      } else {
        node = nodes.peek();
        if (node == null) {
          break;
        }
        nodes.remove();
        if (node instanceof Burst met) {
          unsettled++;
          burst = keep(met);
          continue;
        }
        picked++;
      }
      if (last == null) {
        first = node;
      } else {
        last.next = node;
      }
      last = node;
    }
  }

  /// The change of the count of items in bursts since the last call.
  int settled() {
    int change = unsettled;
    unsettled = 0;
    return change;
  }

  private Burst keep(Burst met) {
    met.keep();
    if (keptLast == null) {
      keptFirst = met;
    } else {
      keptLast.nextKept = met;
    }
    keptLast = met;
    return met;
  }

  private @Nullable Burst drop(@Nullable Burst before, Burst burst) {
    if (before == null) {
      keptFirst = burst.nextKept;
    } else {
      before.nextKept = burst.nextKept;
    }
    if (keptLast == burst) {
      keptLast = before;
    }
    return before;
  }

  /// Takes everything, linked; bursts are not opened.
  @Nullable Node clear() {
    for (Burst burst = keptFirst; burst != null; burst = burst.nextKept) {
      burst.next = burst.nextKept;
    }
    Node first = keptFirst;
    Node rest = nodes.clear();
    if (keptLast != null) {
      keptLast.next = rest;
    }
    keptFirst = null;
    keptLast = null;
    return first == null ? rest : first;
  }
}
